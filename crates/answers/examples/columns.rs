//! Prints the page on the columns of all tables: `make types`.

#[expect(clippy::print_stdout, reason = "printing is what this example is for")]
fn main() {
    print!("{}", sheaf_answers::columns_document());
}
