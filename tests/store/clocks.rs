//! Profiles of faulty clocks: negative times are left out, counted and reported, whatever the format.

use std::fs;
use std::path::{Path, PathBuf};

use sheaf_answers::Runs;
use sheaf_tests::{ask, run, workspace_root};

/// Bytes of a sample, and what stands in their place.
type Replaced<'a> = (&'a [u8], &'a [u8]);

/// A sample with some of its numbers replaced, as a file or folder of its own in `folder`.
fn changed(folder: &Path, sample: &str, replaced: &[Replaced<'_>]) -> PathBuf {
    let from = workspace_root().join("data/samples").join(sample);
    let mut bytes = fs::read(&from).unwrap();
    for (old, new) in replaced {
        let at = bytes.windows(old.len()).position(|here| here == *old);
        let at = at.unwrap_or_else(|| panic!("{sample} has no {}", String::from_utf8_lossy(old)));
        bytes.splice(at..at + old.len(), new.iter().copied());
    }
    let to = folder.join(from.file_name().unwrap());
    fs::write(&to, bytes).unwrap();
    to
}

/// Adds the changed sample; the report of the import about its negative times
/// and by the run, must be `finding` and `warning`.
#[track_caller]
fn check(sample: &str, replaced: &[Replaced<'_>], finding: &str, warning: &str) {
    let folder = tempfile::tempdir().unwrap();
    let store = folder.path().join("store");
    let file = changed(folder.path(), sample, replaced);
    let added = run(&store, ["add".as_ref(), file.as_os_str()]).expect_code(0);
    let printed = added.stdout + &added.stderr;
    assert!(printed.contains(finding), "{sample}: {printed}");
    let runs: Runs = ask(&store, &["runs"]);
    let known = &runs.runs[0];
    assert_eq!(known.warnings, [warning], "{sample}");
    let listed = run(&store, ["runs"]).expect_code(0).stdout;
    // Some samples have lost rows as well, which matters more.
    let mark = if known.is_complete {
        "1 warning"
    } else {
        "! incomplete"
    };
    assert!(listed.contains(mark), "{sample}: {listed}");
    let info = run(&store, ["info", &known.name]).expect_code(0).stdout;
    let joined = info.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(joined.contains(warning), "{sample}: {info}");
}

#[test]
fn negative_times_of_call_profiles_are_left_out_counted_and_said() {
    let one = "a negative time was left out as an error of the clock: ";
    let two = "2 negative times were left out as errors of the clock, the first: ";
    let cases: [(&str, &[Replaced<'_>], u32, &str); 8] = [
        (
            "hatchet/literal.json",
            &[(b"\"time\": 10, \"PAPI", b"\"time\": -10, \"PAPI")],
            1,
            "`time` of `main`",
        ),
        (
            "caliper-json/ranks.json",
            &[(b"[ 110.000000, 1, 30", b"[ 110.000000, 1, -30")],
            1,
            "`sum_time_duration` of `main`",
        ),
        (
            "gprof/calls.txt",
            &[
                (b"0.04     0.04        7", b"0.04    -0.04        7"),
                (
                    b"[2]    100.0    0.04    0.00",
                    b"[2]    100.0   -0.04    0.00",
                ),
            ],
            2,
            "`self_s` of `leaf`",
        ),
        (
            "pyinstrument/session.json",
            &[(b"\"time\": 0.061174", b"\"time\": -0.061174")],
            1,
            "`total_s` of `step`",
        ),
        (
            "timemory/wall.tree.json",
            &[(b"\"repr_data\":0.599999006", b"\"repr_data\":-0.599999006")],
            1,
            "`wall_clock_ns` of `outer`",
        ),
        (
            "tau/run/profile.0.0.0",
            &[(b" 1 12 1000 ", b" 1 12 -1000 ")],
            1,
            "`time_us` of `int main(int, char **) C`",
        ),
        (
            "caliper/regions.cali",
            &[(b"data=0=4.000000=nan", b"data=0=-4.000000=nan")],
            1,
            "`inclusive_sum_time_duration_s` of `main`",
        ),
        (
            // The own time of a function, as the marshalled float.
            "cprofile/profile.pstats",
            &[(
                &[0xe7, 0, 0x14, 0xcd, 0xb4, 0x11, 0x10, 0x02, 0x3f],
                &[0xe7, 0, 0x14, 0xcd, 0xb4, 0x11, 0x10, 0x02, 0xbf],
            )],
            1,
            "`self_s` of `<function main at 0x7fdfe45e3920>`",
        ),
    ];
    for (sample, replaced, count, place) in cases {
        let warning = format!("{}{place}", if count == 1 { one } else { two });
        check(
            sample,
            replaced,
            &format!("skipped negative times: {count}"),
            &warning,
        );
    }
}
