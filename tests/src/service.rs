//! Starts the service and asks it over HTTP/1.1, with nothing but a socket.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use crate::grainsheaf;

/// A running service; killed when dropped.
pub struct Service {
    child: Child,
    /// The URL that the command printed, token included.
    pub url: String,
    /// `127.0.0.1:PORT`
    pub host: String,
    /// The token; empty without one.
    pub token: String,
}

/// An answer of the service.
#[derive(Debug)]
pub struct Answer {
    /// Status code.
    pub status: u16,
    /// Header lines, lower-case names.
    pub headers: Vec<(String, String)>,
    /// Body.
    pub body: Vec<u8>,
}

impl Answer {
    /// The body as text.
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    /// The body as JSON.
    #[track_caller]
    pub fn json(&self) -> serde_json::Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|_| panic!("no JSON: {}", self.text()))
    }

    /// The first header of a lower-case name.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers
            .iter()
            .find(|(key, _)| key == name)
            .map(|(_, value)| value.as_str())
    }
}

impl Service {
    /// Serves `store` on a free port; `args` are further arguments of `serve`.
    #[track_caller]
    pub fn start(store: &Path, args: &[&str]) -> Self {
        let mut command = grainsheaf(store);
        command.args(["serve", "--port", "0"]).args(args);
        command.stderr(Stdio::null());
        Self::spawn(command)
    }

    /// The same; what it prints on standard error goes to a file.
    #[track_caller]
    pub fn start_logged(store: &Path, args: &[&str], log: &Path) -> Self {
        let mut command = grainsheaf(store);
        command.args(["serve", "--port", "0"]).args(args);
        let log = std::fs::File::create(log).expect("the log can be written");
        command.stderr(log);
        Self::spawn(command)
    }

    #[track_caller]
    fn spawn(mut command: Command) -> Self {
        command.stdout(Stdio::piped());
        let mut child = command.spawn().expect("the binary starts");
        let mut url = String::new();
        let stdout = child.stdout.take().expect("standard output is piped");
        BufReader::new(stdout)
            .read_line(&mut url)
            .expect("the first line is the URL");
        let url = url.trim().to_owned();
        let rest = url
            .strip_prefix("http://")
            .unwrap_or_else(|| panic!("`{url}` is no URL"));
        let (host, query) = rest.split_once('/').unwrap_or((rest, ""));
        let token = query.split_once("?token=").unwrap_or_default().1.to_owned();
        let host = host.to_owned();
        Self {
            child,
            url,
            host,
            token,
        }
    }

    /// Asks with the token.
    #[track_caller]
    pub fn get(&self, path: &str) -> Answer {
        self.ask(
            "GET",
            path,
            &[("Authorization", &format!("Bearer {}", self.token))],
        )
    }

    /// Sends a body with the token.
    #[track_caller]
    pub fn send(&self, method: &str, path: &str, content_type: &str, body: &[u8]) -> Answer {
        let headers = [
            ("Authorization", &*format!("Bearer {}", self.token)),
            ("Content-Type", content_type),
            ("Content-Length", &body.len().to_string()),
        ];
        let mut stream = self.open(method, path, &headers);
        // A service that refuses a body may close the connection before it has all of it.
        let _ = stream.write_all(body);
        Self::answer_of(stream)
    }

    /// Asks with the given headers and no others than `Host` and `Connection`.
    #[track_caller]
    pub fn ask(&self, method: &str, path: &str, headers: &[(&str, &str)]) -> Answer {
        Self::answer_of(self.open(method, path, headers))
    }

    /// Reads what is left of an answer.
    #[track_caller]
    pub fn answer_of(mut stream: TcpStream) -> Answer {
        let mut bytes = Vec::new();
        stream.read_to_end(&mut bytes).expect("the answer is read");
        parse(&bytes)
    }

    /// Ends the service as a crash does.
    pub fn kill(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }

    /// Ends the service as its user does; returns whether it ended well.
    #[track_caller]
    pub fn terminate(&mut self) -> bool {
        self.signal("TERM");
        self.wait() == Some(0)
    }

    /// Number of the service's process.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Sends the service a signal, such as `INT`.
    #[track_caller]
    pub fn signal(&self, name: &str) {
        let signal = format!("-{name}");
        let sent = Command::new("kill")
            .args([&signal, &self.id().to_string()])
            .status();
        assert!(sent.expect("`kill` is there").success());
    }

    /// Waits until the service has ended; its exit code, unless a signal ended it.
    pub fn wait(&mut self) -> Option<i32> {
        self.child.wait().expect("the service ends").code()
    }

    /// Sends bytes as they are and reads what comes back.
    #[track_caller]
    pub fn send_raw(&self, bytes: &[u8]) -> Answer {
        let mut stream = TcpStream::connect(&self.host).expect("the service accepts connections");
        // A service that refuses the beginning may close before it has all of it.
        let _ = stream.write_all(bytes);
        Self::answer_of(stream)
    }

    /// Sends the head of a request; the body is up to the caller.
    #[track_caller]
    pub fn open(&self, method: &str, path: &str, headers: &[(&str, &str)]) -> TcpStream {
        let mut stream = TcpStream::connect(&self.host).expect("the service accepts connections");
        let has_host = headers
            .iter()
            .any(|(name, _)| name.eq_ignore_ascii_case("host"));
        let mut request = format!("{method} {path} HTTP/1.1\r\nConnection: close\r\n");
        if !has_host {
            request += "Host: ";
            request += &self.host;
            request += "\r\n";
        }
        for (name, value) in headers {
            request.extend([*name, ": ", *value, "\r\n"]);
        }
        request.push_str("\r\n");
        stream
            .write_all(request.as_bytes())
            .expect("the request is sent");
        stream
    }

    /// Percent-encodes a text for a query.
    pub fn encode(text: &str) -> String {
        text.bytes()
            .map(|byte| match byte {
                b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' => char::from(byte).to_string(),
                _ => format!("%{byte:02X}"),
            })
            .collect()
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A connection over which several requests go, one after another.
pub struct Persistent {
    stream: BufReader<TcpStream>,
    host: String,
}

impl Persistent {
    /// Connects to `host`.
    ///
    /// # Errors
    /// If the service accepts no connection.
    pub fn connect(host: &str) -> std::io::Result<Self> {
        Self::over(TcpStream::connect(host)?, host)
    }

    /// Connects to `host` from an address of this machine.
    ///
    /// # Errors
    /// If the service accepts no connection.
    pub fn connect_from(address: &str, host: &str) -> std::io::Result<Self> {
        let invalid = |_| std::io::Error::from(std::io::ErrorKind::InvalidInput);
        let from: std::net::IpAddr = address.parse().map_err(invalid)?;
        let to: std::net::SocketAddr = host.parse().map_err(invalid)?;
        let socket = socket2::Socket::new(
            socket2::Domain::for_address(to),
            socket2::Type::STREAM,
            None,
        )?;
        socket.bind(&std::net::SocketAddr::new(from, 0).into())?;
        socket.connect(&to.into())?;
        Self::over(socket.into(), host)
    }

    fn over(stream: TcpStream, host: &str) -> std::io::Result<Self> {
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(std::time::Duration::from_secs(120)))?;
        Ok(Self {
            stream: BufReader::new(stream),
            host: host.to_owned(),
        })
    }

    /// Sends a request and reads the whole answer.
    ///
    /// # Errors
    /// If the connection ends before.
    pub fn ask(&mut self, path: &str, headers: &[(&str, &str)]) -> std::io::Result<Answer> {
        let mut request = format!("GET {path} HTTP/1.1\r\nHost: {}\r\n", self.host);
        for (name, value) in headers {
            request.extend([*name, ": ", *value, "\r\n"]);
        }
        request.push_str("\r\n");
        self.send(request.as_bytes())?;
        self.answer()
    }

    /// Sends bytes as they are.
    ///
    /// # Errors
    /// If the connection has ended.
    pub fn send(&mut self, bytes: &[u8]) -> std::io::Result<()> {
        self.stream.get_mut().write_all(bytes)
    }

    /// Reads an answer whose length it says itself.
    ///
    /// # Errors
    /// If the connection ends before.
    pub fn answer(&mut self) -> std::io::Result<Answer> {
        let mut answer = self.head()?;
        if answer.header("transfer-encoding") == Some("chunked") {
            self.read_chunks(&mut answer.body)?;
        } else {
            let length = answer.header("content-length").unwrap_or("0");
            answer.body = vec![0; length.parse().unwrap_or(0)];
            self.stream.read_exact(&mut answer.body)?;
        }
        Ok(answer)
    }

    /// Reads an answer without its body.
    ///
    /// # Errors
    /// If the connection ends before.
    pub fn head(&mut self) -> std::io::Result<Answer> {
        let mut bytes = Vec::new();
        while !bytes.ends_with(b"\r\n\r\n") {
            if self.stream.read_until(b'\n', &mut bytes)? == 0 {
                return Err(std::io::ErrorKind::UnexpectedEof.into());
            }
        }
        Ok(parse(&bytes))
    }

    fn read_chunks(&mut self, body: &mut Vec<u8>) -> std::io::Result<()> {
        loop {
            let mut line = String::new();
            self.stream.read_line(&mut line)?;
            let length = usize::from_str_radix(line.trim(), 16)
                .map_err(|_| std::io::ErrorKind::InvalidData)?;
            let begin = body.len();
            body.resize(begin + length + 2, 0);
            self.stream.read_exact(&mut body[begin..])?;
            body.truncate(begin + length);
            if length == 0 {
                return Ok(());
            }
        }
    }

    /// Reads until the service closes the connection; returns what it still sent.
    pub fn rest(mut self) -> Vec<u8> {
        let mut rest = Vec::new();
        // A reset is an end, too.
        let _ = self.stream.read_to_end(&mut rest);
        rest
    }
}

fn parse(bytes: &[u8]) -> Answer {
    let end = bytes
        .windows(4)
        .position(|window| window == b"\r\n\r\n")
        .unwrap_or(bytes.len());
    let head = String::from_utf8_lossy(&bytes[..end]).into_owned();
    let mut lines = head.lines();
    let status = lines
        .next()
        .and_then(|line| line.split(' ').nth(1)?.parse().ok())
        .unwrap_or(0);
    let headers: Vec<(String, String)> = lines
        .filter_map(|line| line.split_once(": "))
        .map(|(name, value)| (name.to_lowercase(), value.to_owned()))
        .collect();
    let body = bytes.get(end + 4..).unwrap_or_default().to_vec();
    let is_chunked = headers
        .iter()
        .any(|(name, value)| name == "transfer-encoding" && value == "chunked");
    let body = if is_chunked { unchunk(&body) } else { body };
    Answer {
        status,
        headers,
        body,
    }
}

fn unchunk(mut bytes: &[u8]) -> Vec<u8> {
    let mut body = Vec::new();
    while let Some(end) = bytes.windows(2).position(|window| window == b"\r\n") {
        let length = std::str::from_utf8(&bytes[..end]).unwrap_or_default();
        let length = usize::from_str_radix(length, 16).unwrap_or(0);
        let Some(chunk) = bytes.get(end + 2..end + 2 + length) else {
            break;
        };
        if length == 0 {
            break;
        }
        body.extend_from_slice(chunk);
        bytes = bytes.get(end + 4 + length..).unwrap_or_default();
    }
    body
}
