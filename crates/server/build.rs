//! Compiles the service again when the built frontend changed.

fn main() {
    let dist = "../../frontend/dist";
    // A checkout whose frontend was never built compiles too; the service then says so.
    let _ = std::fs::create_dir_all(dist);
    println!("cargo::rerun-if-changed={dist}");
}
