//! Arguments of the commands about a store as a whole: `add`, `compact`, `remove`, `serve`.

use std::net::IpAddr;
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use sheaf_ensemble::NamePattern;
use sheaf_server::{AddressRange, BasePath};

use super::name_and_value;

/// What to add, and what is known of it.
#[derive(Debug, Clone, Args)]
#[command(after_long_help = "\
Files are recognised by content, compressed (.gz, .zst) or not; texts may be in UTF-8 or UTF-16. A file
of another tool is refused with the command that converts it. One that cannot be read does not stop the
others; then the exit status is 3. Like files are reported together; `-v` reports every file with all
that its reader met, `-q` refused files only. The same content added twice is `already present`. The id of the
import is printed: `run = @ID` means the runs that it brought in, or that were there already, and `run =
@new` those of the caller's last import. A CI job is known by GRAINSHEAF_BATCH, which you may set, or by
what its system sets, such as GITHUB_RUN_ID, CI_JOB_ID or SLURM_JOB_ID.

A run whose file does not name the program is called after the file, or, if several files of the import have
the same name or one that says nothing (profile.json, trace.json), by the part of the path that differs; --name and
a name in grainsheaf.toml win. `info` shows the file, its size and the time of the import.

Parameters come, the first that has one wins, from --param, the file of --params, a file
grainsheaf.toml in the folder of the input or, below a named folder, in the folders above it,
--params-from, and the input itself. grainsheaf.toml and --params FILE.toml look so:

  clock-hz = 2.1e9                  # ticks per second, for files that do not say
  [params]
  version = \"1.3\"
  built = 2026-01-31T12:00:00Z
  [[files]]
  match = \"*-O3.cali\"
  params = { opt = 3 }
  params-from = \"{program}-{threads:int}-O3.cali\"

Other keys: workers, parentage = \"nesting\" (Chrome traces), task-graph = \"graph.dot\" (Taskflow),
complete, reference-elapsed-ns; and name in sections. --param clock_hz=N, --param workers=N and --param
parentage=nesting do the same as these keys; a file whose reader has no such rule of parents is refused.

Examples:
  grainsheaf add traces/
  grainsheaf add 'runs/**/*.cali' --param version=1.3
  grainsheaf add runs/ --params-from 'run-{threads:int}-{rep}.cali'
  grainsheaf add runs/ --params-from '{compiler}/{opt}/{program}_{rep:int}.cali'
  xz -dc run.gstrace.xz | grainsheaf add - --name nightly
  grainsheaf add nightly/ --param branch=mine && grainsheaf diff 'branch = main' @new")]
pub(crate) struct AddArguments {
    /// Files, folders and quoted patterns such as 'runs/*.cali'; `-` is standard input. A folder
    /// that is one database is one input.
    #[arg(required = true, value_name = "PATH")]
    pub(crate) paths: Vec<PathBuf>,
    /// Read named files as this format, whatever they look like; of folders, take only files of it.
    #[arg(long, value_name = "FORMAT")]
    pub(crate) format: Option<String>,
    /// Give the runs a parameter.
    #[arg(long = "param", value_name = "NAME=VALUE", value_parser = name_and_value)]
    pub(crate) params: Vec<(String, String)>,
    /// Read parameters from a file: TOML as below (.toml), a JSON object, or lines `NAME = VALUE`.
    #[arg(long = "params", value_name = "FILE")]
    pub(crate) params_file: Option<PathBuf>,
    /// Read parameters from names: `{name}`, `{name:int}` (or float, text, bool, time); `{}` skips,
    /// `{{` is the sign itself; with `/` also from the folders above. May be given several times.
    #[arg(long = "params-from", value_name = "PATTERN", value_parser = super::pointed::<NamePattern>)]
    pub(crate) params_from: Vec<NamePattern>,
    /// Name of the runs.
    #[arg(long, value_name = "TEXT")]
    pub(crate) name: Option<String>,
}

/// Which parameters to correct.
#[derive(Debug, Clone, Args)]
#[command(after_long_help = "\
Questions, cohorts and expressions see the corrected values; the runs themselves and their ids stay as they are. The
corrections are in `notes/params.toml` of the store.

Without RUN, --incidental and --configuration say what parameters of the whole store are, whatever they are called. An
incidental parameter says how a run came about: it is not part of a configuration for `noise`, divides no series of
`scale` and `history`, and has no column in `runs`, as dates and ids of jobs (`noise --help` lists them). NAME is a name,
or the beginning of names and a `*`; the longest one that fits counts. The rules are in `notes/incidental.toml` of the
store; `verify` checks them. JSON (parameter-rules/1): incidental, configuration.

Examples:
  grainsheaf set 3f2a91c0 threads=8
  grainsheaf set 'run = @new' machine=n1 'label=after the fix'
  grainsheaf set sort-t8-r1 --forget machine
  grainsheaf set --incidental 'node*,seed' --configuration commit
  grainsheaf set --forget seed")]
pub(crate) struct SetArguments {
    /// Run id, unique beginning of one, name, or expression for several.
    #[arg(value_name = "RUN", required_unless_present_any = ["incidental", "configuration", "forget"])]
    pub(crate) run: Option<String>,
    /// Parameters with their values.
    #[arg(value_name = "NAME=VALUE", value_parser = super::name_and_value, required_unless_present_any = ["incidental", "configuration", "forget"])]
    pub(crate) params: Vec<(String, String)>,
    /// Take the correction of a parameter back, or without RUN a rule; may be given several times.
    #[arg(long, value_name = "NAME")]
    pub(crate) forget: Vec<String>,
    /// Parameters that are not part of a configuration, in all runs of the store.
    #[arg(
        long,
        value_name = "NAMES",
        value_delimiter = ',',
        conflicts_with = "run"
    )]
    pub(crate) incidental: Vec<String>,
    /// Parameters that are part of a configuration, in all runs of the store.
    #[arg(
        long,
        value_name = "NAMES",
        value_delimiter = ',',
        conflicts_with = "run"
    )]
    pub(crate) configuration: Vec<String>,
}

/// Which runs to remove.
#[derive(Debug, Clone, Args)]
#[command(after_long_help = "\
Examples:
  grainsheaf remove 3f2a91c0
  grainsheaf remove sort-t8-r1 sort-t8-r2
  grainsheaf remove sort-t8-r1 --wait 60")]
pub(crate) struct RemoveArguments {
    /// Run ids, unique beginnings of ids, or names.
    #[arg(required = true, value_name = "RUN")]
    pub(crate) runs: Vec<String>,
    #[command(flatten)]
    pub(crate) force: Force,
    #[command(flatten)]
    pub(crate) wait: Wait,
}

/// How the store is checked.
#[derive(Debug, Clone, Args)]
#[command(after_long_help = "\
Every file is compared with its checksum, every run with its id, and the store's log with what is there:
a segment, manifest or note of a removal that the log lists and that is missing is damage. Leftovers of
killed imports are harmless; `compact` removes them. Foreign entries are not the store's and are never
touched.

--repair gives segments whose folders were renamed their names back, moves damaged segments to the folder
`damaged` of the store, and begins the log anew with what is sound. Restore lost segments from a backup
before, or import their runs again afterwards.

Examples:
  grainsheaf verify
  grainsheaf --store results verify --json
  grainsheaf verify --repair")]
pub(crate) struct VerifyArguments {
    /// Set damaged segments aside and rebuild the store's log from what is sound.
    #[arg(long)]
    pub(crate) repair: bool,
    #[command(flatten)]
    pub(crate) wait: Wait,
}

/// How the store is compacted.
#[derive(Debug, Clone, Args)]
#[command(after_long_help = "\
Compaction removes segments whose runs are in others, and what killed imports left behind; it prints what
it removed. Nothing is removed through a link, and nothing that belongs to others or is not the store's.
`add` merges small segments by itself, eight at a time, while they are small.

Examples:
  grainsheaf compact
  grainsheaf compact --dry-run
  grainsheaf compact --wait 60")]
pub(crate) struct CompactArguments {
    /// Print what would be removed, and change nothing.
    #[arg(long)]
    pub(crate) dry_run: bool,
    #[command(flatten)]
    pub(crate) force: Force,
    #[command(flatten)]
    pub(crate) wait: Wait,
}

/// What to do with the lease of a process that cannot be asked.
#[derive(Debug, Clone, Copy, Args)]
pub(crate) struct Force {
    /// Take the store from a process of another machine or container that compacts it or removes
    /// runs. Refused if that process is known to be running.
    #[arg(long = "force")]
    pub(crate) is_forced: bool,
}

/// What to do while another process maintains the store.
#[derive(Debug, Clone, Copy, Args)]
pub(crate) struct Wait {
    /// Wait this long while another process compacts the store or removes runs; 0, the default,
    /// gives it a second. The exit status is 6 if the store is still busy then.
    #[arg(long = "wait", value_name = "SECONDS", default_value = "0", hide_default_value = true, value_parser = seconds)]
    pub(crate) limit: Duration,
}

/// A non-negative number of seconds.
fn seconds(text: &str) -> Result<Duration, String> {
    let seconds: f64 = text
        .parse()
        .map_err(|_| "expected seconds, such as `10` or `0.5`".to_owned())?;
    Duration::try_from_secs_f64(seconds)
        .map_err(|_| "must be a non-negative number of seconds".to_owned())
}

/// What to serve, and where.
#[derive(Debug, Clone, Args)]
#[command(after_long_help = "\
The first line on standard output is the URL. The service listens on this machine only, unless --bind
says otherwise, and asks for the token in the URL. Files and folders that are dropped onto the page are
added to the store it shows, unless --read-only says otherwise.

Ctrl-C or SIGTERM ends the service once the requests in flight are answered, for at most half a minute;
the second one ends it at once. Wrong tokens are answered late, and logged. Behind a proxy, name its
address with --trusted-proxy, and let it set X-Forwarded-Host, X-Forwarded-Proto, X-Forwarded-For
and X-Forwarded-Prefix: from others these headers are ignored.

Examples:
  grainsheaf serve
  grainsheaf serve results/threads results/versions
  grainsheaf serve --port 8080 --open
  grainsheaf serve --read-only --bind 0.0.0.0 --port 8080
  grainsheaf serve --port 8080 --trusted-proxy 127.0.0.1 --access-log 2>access.jsonl")]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a flag of the command line"
)]
pub(crate) struct ServeArguments {
    /// Stores; the one of --store when missing.
    #[arg(value_name = "STORE")]
    pub(crate) stores: Vec<PathBuf>,
    /// Address to listen on.
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1")]
    pub(crate) bind: IpAddr,
    /// Port to listen on; any free one when 0.
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) port: u16,
    /// Token to ask for; a new one when missing.
    #[arg(long, value_name = "TOKEN", env = "GRAINSHEAF_TOKEN", hide_env_values = true, value_parser = token)]
    pub(crate) token: Option<String>,
    /// Ask for no token: everyone who reaches the port sees everything.
    #[arg(long, conflicts_with = "token")]
    pub(crate) no_token: bool,
    /// Also open the browser.
    #[arg(long)]
    pub(crate) open: bool,
    /// Refuse files that are sent from the page.
    #[arg(long)]
    pub(crate) read_only: bool,
    /// Serve stores that others may write to.
    #[arg(long)]
    pub(crate) allow_shared_store: bool,
    /// Largest upload, all its files together, such as `500M`; 16G when missing.
    #[arg(long, value_name = "SIZE", value_parser = size)]
    pub(crate) upload_limit: Option<u64>,
    /// Largest file of an upload; 4G when both limits are missing, else that of --upload-limit.
    #[arg(long, value_name = "SIZE", value_parser = size)]
    pub(crate) upload_file_limit: Option<u64>,
    /// Most files of an upload; 20000 when missing.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) upload_files: Option<u64>,
    /// Most connections at once; 4096 when missing, or fewer if there are not as many descriptors.
    #[arg(long, value_name = "N", value_parser = count)]
    pub(crate) max_connections: Option<usize>,
    /// Most connections of one address, or of one /64 of IPv6; a quarter of all when missing.
    #[arg(long, value_name = "N", value_parser = count)]
    pub(crate) max_connections_per_address: Option<usize>,
    /// How long a client may keep its connection without sending or taking anything. A request's
    /// head has to arrive in this time, and a body at 1 KiB per second or more.
    #[arg(long, value_name = "SECONDS", default_value_t = 30, value_parser = clap::value_parser!(u32).range(1..=3600))]
    pub(crate) client_timeout: u32,
    /// Proxy whose X-Forwarded headers count, as an address or a range such as 10.1.0.0/16. May be
    /// given several times.
    #[arg(long, value_name = "ADDRESS")]
    pub(crate) trusted_proxy: Vec<AddressRange>,
    /// Path below which a proxy shows the service, such as `/grainsheaf`. A trusted proxy may send it
    /// as X-Forwarded-Prefix instead.
    #[arg(
        long,
        value_name = "PATH",
        default_value = "/",
        hide_default_value = true
    )]
    pub(crate) base_path: BasePath,
    /// Print a line of JSON on standard error for each answer: time, peer, method, path without
    /// token, status, bytes, duration.
    #[arg(long)]
    pub(crate) access_log: bool,
    /// Folder with the programs and libraries of uploaded traces: their symbols are read there, and
    /// nowhere else. May be given several times; without it, uploads have no symbols.
    #[arg(long, value_name = "DIR")]
    pub(crate) symbols_from: Vec<PathBuf>,
}

/// A number above zero.
fn count(text: &str) -> Result<usize, String> {
    let number = text.parse().ok().filter(|number| *number > 0);
    number.ok_or_else(|| "expected a number above zero".to_owned())
}

/// Bytes, with a binary prefix or none.
pub(super) fn size(text: &str) -> Result<u64, String> {
    let (digits, shift) = match text.strip_suffix(['k', 'K', 'm', 'M', 'g', 'G', 't', 'T']) {
        None => (text, 0),
        Some(digits) => match text.chars().last() {
            Some('k' | 'K') => (digits, 10),
            Some('m' | 'M') => (digits, 20),
            Some('g' | 'G') => (digits, 30),
            _ => (digits, 40),
        },
    };
    digits
        .parse::<u64>()
        .ok()
        .and_then(|number| number.checked_mul(1 << shift))
        .filter(|bytes| *bytes > 0)
        .ok_or_else(|| "expected bytes above zero, such as `1048576`, `500M` or `8G`".to_owned())
}

/// A token becomes part of a URL as it is.
fn token(text: &str) -> Result<String, String> {
    let is_fit = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | '~');
    if !text.is_empty() && text.chars().all(is_fit) {
        Ok(text.to_owned())
    } else {
        Err("expected letters, digits, `-`, `_`, `.` or `~`".to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_binary_prefixes() {
        assert_eq!(size("10"), Ok(10));
        assert_eq!(size("2k"), Ok(2048));
        assert_eq!(size("500M"), Ok(500 << 20));
        assert_eq!(size("8G"), Ok(8 << 30));
        for text in ["", "0", "-1", "1.5G", "G", "8GB", "99999999999T"] {
            assert!(size(text).is_err(), "{text}");
        }
    }
}
