//! Arguments of the commands about a store as a whole: `add`, `remove`, `serve`.

use std::net::IpAddr;
use std::path::PathBuf;

use clap::Args;

use super::name_and_value;

/// What to add, and what is known of it.
#[derive(Debug, Clone, Args)]
#[command(after_long_help = "\
Traces of the recorder (.gstrace) are read; they are recognised by content. A file that cannot be
read does not stop the others. The same content added twice is `already present`.

Examples:
  grainsheaf add traces/
  grainsheaf add traces/*/*.gstrace --param version=1.3
  xz -dc run.gstrace.xz | grainsheaf add - --name nightly")]
pub(crate) struct AddArguments {
    /// Files and folders; `-` is standard input. A folder that is one database is one input.
    #[arg(required = true, value_name = "PATH")]
    pub(crate) paths: Vec<PathBuf>,
    /// Read everything as this format instead of recognising it.
    #[arg(long, value_name = "FORMAT")]
    pub(crate) format: Option<String>,
    /// Give the runs a parameter.
    #[arg(long = "param", value_name = "NAME=VALUE", value_parser = name_and_value)]
    pub(crate) params: Vec<(String, String)>,
    /// Read parameters from a file: a JSON object, or lines `NAME = VALUE`; --param wins.
    #[arg(long = "params", value_name = "FILE")]
    pub(crate) params_file: Option<PathBuf>,
    /// Name of the run.
    #[arg(long, value_name = "TEXT")]
    pub(crate) name: Option<String>,
}

/// Which runs to remove.
#[derive(Debug, Clone, Args)]
#[command(after_long_help = "\
Examples:
  grainsheaf remove 3f2a91c0
  grainsheaf remove sort-t8-r1 sort-t8-r2")]
pub(crate) struct RemoveArguments {
    /// Run ids, unique beginnings of ids, or names.
    #[arg(required = true, value_name = "RUN")]
    pub(crate) runs: Vec<String>,
}

/// What to serve, and where.
#[derive(Debug, Clone, Args)]
#[command(after_long_help = "\
The first line on standard output is the URL. The service listens on this machine only, unless --bind
says otherwise, and asks for the token in the URL.

Examples:
  grainsheaf serve
  grainsheaf serve results/threads results/versions
  grainsheaf serve --port 8080 --open")]
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
