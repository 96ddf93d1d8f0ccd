//! tmp
#[path = "../tests/synthetic/mod.rs"]
mod synthetic;
use sheaf_store::Store;
fn main() {
    let what = std::env::args().nth(1).unwrap();
    let path = std::env::args().nth(2).unwrap();
    let store = Store::create_or_open(std::path::Path::new(&path)).unwrap();
    let runs: Vec<_> = match what.as_str() {
        "fib" => vec![synthetic::programs::recursion(1, 23)],
        "loops" => vec![synthetic::programs::loops(1, 100_000)],
        _ => (0..1000)
            .map(|s| synthetic::programs::profile(s, 74, 22))
            .collect(),
    };
    let t = std::time::Instant::now();
    let mut i = store.import().unwrap();
    let c: Vec<_> = runs
        .into_iter()
        .map(|r| sheaf_store::CheckedRun::new(r).unwrap())
        .collect();
    eprintln!("check {:?}", t.elapsed());
    for r in c {
        i.add_checked(r).unwrap();
    }
    i.publish().unwrap();
    eprintln!("import {:?}", t.elapsed());
}
