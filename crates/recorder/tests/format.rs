//! Writer and reader agree on the numbers of the trace format.

#[test]
fn format_is_the_one_the_reader_knows() {
    use sheaf_ingest::trace::format as read;
    use sheaf_recorder::format as written;
    assert_eq!(written::VERSION, read::VERSION);
    assert_eq!(written::RECORDS, read::RECORDS);
    assert_eq!(written::CHUNK_HEADER_LEN, read::CHUNK_HEADER_LEN);
    assert_eq!(written::FOREIGN_SLOTS, read::FOREIGN_SLOTS);
}
