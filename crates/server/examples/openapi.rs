//! Prints the OpenAPI document: `make types`.

#[expect(clippy::print_stdout, reason = "printing is what this example is for")]
fn main() {
    print!("{}", sheaf_server::openapi());
}
