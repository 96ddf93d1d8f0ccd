//! Arguments of the commands about a whole store: `add`, `compact`, `remove`, `serve` and others.

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
Files are recognised by content, compressed (.gz, .zst) or not; text may be UTF-8 or UTF-16. If a file of a
known tool must be converted first, the refusal names the command. A file that cannot be read does not stop
the others; the exit status is 3 then. Files with the same outcome are reported together; `-v` reports every
file with everything that its reader skipped or repaired, `-q` refused files only. Content that is in the store
already is `already present`. The id of the import is printed: `run = @ID` selects its runs, including those
that were present already, and `run = @new` the runs of your last import. A CI job is identified by
GRAINSHEAF_BATCH, which you may set, or by a variable of its system, such as GITHUB_RUN_ID, CI_JOB_ID or
SLURM_JOB_ID.

A run is named after its program. If the file does not name the program, the run is named after the file. If
several files of the import have the same name or a generic one (profile.json, trace.json), the part of the
path that differs is used. --name and a name in grainsheaf.toml override this. `info` shows the file, its size
and the time of the import.

A parameter is taken from the first of these that has it: --param, the file of --params, a file grainsheaf.toml
in the folder of the input or in a folder above it (up to the folder that you named), --params-from, and the
input itself. Example of grainsheaf.toml or --params FILE.toml:

  clock-hz = 2.1e9                  # ticks per second, for files that do not say
  [params]
  version = \"1.3\"
  built = 2026-01-31T12:00:00Z
  [[files]]
  match = \"*-O3.cali\"
  params = { opt = 3 }
  params-from = \"{program}-{threads:int}-O3.cali\"

Other keys: workers, parentage = \"nesting\" (Chrome traces), task-graph = \"graph.dot\" (Taskflow), complete and
reference-elapsed-ns; and name in [[files]]. --param clock_hz=N, --param workers=N and --param
parentage=nesting are equivalent to these keys. A file whose format does not support the parentage is refused.

Examples:
  grainsheaf add traces/
  grainsheaf add 'runs/**/*.cali' --param version=1.3
  grainsheaf add runs/ --params-from 'run-{threads:int}-{rep}.cali'
  grainsheaf add runs/ --params-from '{compiler}/{opt}/{program}_{rep:int}.cali'
  xz -dc run.gstrace.xz | grainsheaf add - --name nightly
  grainsheaf add nightly/ --param branch=mine && grainsheaf diff 'branch = main' @new")]
pub(crate) struct AddArguments {
    /// Files, folders and quoted patterns such as 'runs/*.cali'; `-` is standard input. A folder
    /// that is one database, as of HPCToolkit, is one input.
    #[arg(required = true, value_name = "PATH")]
    pub(crate) paths: Vec<PathBuf>,
    /// Read the named files in this format without recognition; from folders, add only files of this format.
    #[arg(long, value_name = "FORMAT")]
    pub(crate) format: Option<String>,
    /// Give the runs a parameter.
    #[arg(long = "param", value_name = "NAME=VALUE", value_parser = name_and_value)]
    pub(crate) params: Vec<(String, String)>,
    /// Read parameters from a file: TOML as below (.toml), a JSON object, or lines of `NAME = VALUE`.
    #[arg(long = "params", value_name = "FILE")]
    pub(crate) params_file: Option<PathBuf>,
    /// Read parameters from file names: `{name}`, `{name:int}` (or float, text, bool, time). `{}` skips
    /// text, `{{` is a brace; a pattern with `/` also matches folders. May be repeated.
    #[arg(long = "params-from", value_name = "PATTERN", value_parser = super::pointed::<NamePattern>)]
    pub(crate) params_from: Vec<NamePattern>,
    /// Name of the runs.
    #[arg(long, value_name = "TEXT")]
    pub(crate) name: Option<String>,
}

/// Which parameters to correct.
#[derive(Debug, Clone, Args)]
#[command(after_long_help = "\
All commands use the corrected values; the stored runs and their ids do not change. The corrections are in
`notes/params.toml` of the store, names and remarks in `notes/runs.toml`. JSON of
--name (run-name/1): run, before, name; of --remark (remarks/1): the remarks of the store.

Without RUN, --incidental and --configuration set rules for the parameters of the whole store. An incidental
parameter identifies a launch, like dates and job ids (`noise --help` lists the names that are incidental
without a rule): it is not part of a configuration for `noise`, does not separate series of `scale` and
`history`, and has no column in `runs`. NAME is a name, or a prefix followed by `*`; the longest match applies.
The rules are in `notes/incidental.toml` of the store; `verify` checks them. JSON (parameter-rules/1):
incidental, configuration.

Examples:
  grainsheaf set 3f2a91c0 threads=8
  grainsheaf set 'run = @new' machine=n1 'label=after the fix'
  grainsheaf set sort-t8-r1 --forget machine
  grainsheaf set 3f2a91c0 --name 'sort after the fix'
  grainsheaf set 3f2a91c0 --remark 'the node was shared with another job'
  grainsheaf set --incidental 'node*,seed' --configuration commit
  grainsheaf set --forget seed")]
pub(crate) struct SetArguments {
    /// A run id, the first characters of one, a name, or an expression that selects several runs.
    #[arg(value_name = "RUN", required_unless_present_any = ["incidental", "configuration", "forget"])]
    pub(crate) run: Option<String>,
    /// Parameters with their values.
    #[arg(value_name = "NAME=VALUE", value_parser = super::name_and_value, required_unless_present_any = ["name", "remark", "incidental", "configuration", "forget"])]
    pub(crate) params: Vec<(String, String)>,
    /// Name of the run, which replaces the name of its import; an empty one restores that.
    #[arg(long, value_name = "NAME", conflicts_with_all = ["params", "forget", "incidental", "configuration"], requires = "run")]
    pub(crate) name: Option<String>,
    /// Remark on the run, shown by `info`; an empty one removes it.
    #[arg(long, value_name = "TEXT", conflicts_with_all = ["params", "name", "forget", "incidental", "configuration"], requires = "run")]
    pub(crate) remark: Option<String>,
    /// Undo the correction of a parameter, or without RUN a rule; may be repeated.
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
  grainsheaf remove --undo 1df06aade229f0d1b58fc7832c46948d
  grainsheaf remove sort-t8-r1 --wait 60")]
pub(crate) struct RemoveArguments {
    /// Run ids, the first characters of ids, or names.
    #[arg(required = true, value_name = "RUN")]
    pub(crate) runs: Vec<String>,
    /// Bring removed runs back, by their whole ids. Possible until `compact` or a later `add` frees their space.
    #[arg(long)]
    pub(crate) undo: bool,
    #[command(flatten)]
    pub(crate) force: Force,
    #[command(flatten)]
    pub(crate) wait: Wait,
}

/// How the store is checked.
#[derive(Debug, Clone, Args)]
#[command(after_long_help = "\
Verification compares every file with its checksum, every run with its id, and the store's log with the
folders: a listed segment, manifest or removal note that is missing is damage. Leftovers of killed imports are
harmless; `compact` removes them. Foreign entries do not belong to the store and are never changed.

--repair restores the names of renamed segment folders, moves damaged segments to the folder `damaged` of the
store, and starts a new log with the intact ones. Restore lost segments from a backup first, or import their
runs again afterwards.

Examples:
  grainsheaf verify
  grainsheaf --store results verify --json
  grainsheaf verify --repair")]
pub(crate) struct VerifyArguments {
    /// Move damaged segments away and rebuild the store's log from the intact ones.
    #[arg(long)]
    pub(crate) repair: bool,
    #[command(flatten)]
    pub(crate) wait: Wait,
}

/// How the store is compacted.
#[derive(Debug, Clone, Args)]
#[command(after_long_help = "\
Compaction merges small segments, and removes merged segments and leftovers of killed imports; it prints
what it removed. It follows no links, and leaves files that do not belong to the store. `add` also merges small
segments, eight at a time.

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

/// Whether to take over the lease of a process on another machine.
#[derive(Debug, Clone, Copy, Args)]
pub(crate) struct Force {
    /// Take over the store from a process on another machine or in a container that was compacting it
    /// or removing runs. Refused if that process is known to be running.
    #[arg(long = "force")]
    pub(crate) is_forced: bool,
}

/// What to do while another process maintains the store.
#[derive(Debug, Clone, Copy, Args)]
pub(crate) struct Wait {
    /// Wait up to this long while another process compacts the store or removes runs [default: 0,
    /// which waits one second]; the exit status is 6 if the store is still busy.
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
The first line on standard output is the URL. The service listens on this machine only, unless --bind is
given, and requires the token in the URL. Files and folders that are dropped onto the page are added to its
store, unless --read-only is given.

After Ctrl-C or SIGTERM, the service answers pending requests for up to 30 s and ends; a second signal ends it
immediately. Wrong tokens are answered with a delay and logged. Behind a proxy, pass its address with
--trusted-proxy and let it set X-Forwarded-Host, X-Forwarded-Proto, X-Forwarded-For and X-Forwarded-Prefix; these
headers are ignored from other addresses.

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
    /// Stores [default: the one of --store]
    #[arg(value_name = "STORE")]
    pub(crate) stores: Vec<PathBuf>,
    /// Address to listen on.
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1")]
    pub(crate) bind: IpAddr,
    /// Port to listen on; 0 for any free port.
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) port: u16,
    /// Token to require [default: a new random one]
    #[arg(long, value_name = "TOKEN", env = "GRAINSHEAF_TOKEN", hide_env_values = true, value_parser = token)]
    pub(crate) token: Option<String>,
    /// Require no token: everyone who can reach the port can read everything.
    #[arg(long, conflicts_with = "token")]
    pub(crate) no_token: bool,
    /// Open the page in the browser.
    #[arg(long)]
    pub(crate) open: bool,
    /// Refuse uploads from the page.
    #[arg(long)]
    pub(crate) read_only: bool,
    /// Serve stores to which other users may write.
    #[arg(long)]
    pub(crate) allow_shared_store: bool,
    /// Maximum size of an upload, such as `500M` [default: 16G]
    #[arg(long, value_name = "SIZE", value_parser = size)]
    pub(crate) upload_limit: Option<u64>,
    /// Maximum size of a file of an upload [default: 4G, or --upload-limit if given]
    #[arg(long, value_name = "SIZE", value_parser = size)]
    pub(crate) upload_file_limit: Option<u64>,
    /// Maximum number of files of an upload [default: 20000]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) upload_files: Option<u64>,
    /// Maximum number of connections [default: 4096, or fewer if file descriptors are limited]
    #[arg(long, value_name = "N", value_parser = count)]
    pub(crate) max_connections: Option<usize>,
    /// Maximum number of connections from one address, or one /64 network of IPv6 [default: a quarter of all]
    #[arg(long, value_name = "N", value_parser = count)]
    pub(crate) max_connections_per_address: Option<usize>,
    /// Close a connection after this time without data. The head of a request must arrive within this
    /// time, and its body at 1 KiB per second or more.
    #[arg(long, value_name = "SECONDS", default_value_t = 30, value_parser = clap::value_parser!(u32).range(1..=3600))]
    pub(crate) client_timeout: u32,
    /// Address of a proxy whose X-Forwarded headers are used, or a range such as 10.1.0.0/16. May be
    /// repeated.
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
    /// Print a line of JSON on standard error per answer: time, peer, method, path without token,
    /// status, bytes, duration.
    #[arg(long)]
    pub(crate) access_log: bool,
    /// Folder with the programs and libraries of uploaded traces, the only place from which their
    /// symbols are read. May be repeated; without it, uploads have no symbols.
    #[arg(long, value_name = "DIR")]
    pub(crate) symbols_from: Vec<PathBuf>,
    /// Show source files below this folder on the page, with values per line; may be repeated. Other files are never
    /// read, and links are not followed.
    #[arg(long, value_name = "DIR")]
    pub(crate) source: Vec<PathBuf>,
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
