//! Fields that are neither numbers nor texts.

use sheaf_model::table::GrainKind;

use super::number::{Number, number};
use super::table::Role;

/// Role of a row, with first iteration and end of a chunk.
pub(crate) fn role(metadata: &[u8]) -> (Role, Option<[i64; 2]>) {
    let Some(rest) = metadata.trim_ascii().strip_prefix(b"chunk_") else {
        return (Role::Task, None);
    };
    let mut numbers = rest.splitn(2, |&byte| byte == b'_').map(number);
    match (numbers.next(), numbers.next()) {
        (Some(Number::Integer(first)), Some(Number::Integer(end))) => {
            (Role::Chunk, Some([first, end]))
        }
        _ => (Role::Bookkeeping, None),
    }
}

/// What our own exports state that a grain is.
pub(crate) fn kind(field: &[u8]) -> Option<GrainKind> {
    Some(match field.trim_ascii() {
        b"initial task" => GrainKind::Initial,
        b"implicit task" => GrainKind::Implicit,
        b"task" => GrainKind::Task,
        b"chunk" => GrainKind::Chunk,
        b"taskloop chunk" => GrainKind::TaskloopChunk,
        _ => return None,
    })
}

/// Adds the instants of a list `[latest;…;first]` in ascending order, without placeholders; false
/// when the field is not such a list.
pub(crate) fn waits(list: &[u8], instants: &mut Vec<i64>) -> bool {
    let list = list.trim_ascii();
    if list.is_empty() || list == b"NA" {
        return true;
    }
    let inner = list
        .strip_prefix(b"[")
        .and_then(|list| list.strip_suffix(b"]"));
    let Some(inner) = inner else {
        return false;
    };
    let begin = instants.len();
    for item in inner.split(|&byte| byte == b';') {
        match number(item) {
            Number::Integer(0) | Number::Absent => {}
            Number::Integer(instant) if instant > 0 => instants.push(instant),
            _ => {
                instants.truncate(begin);
                return false;
            }
        }
    }
    if let Some(added) = instants.get_mut(begin..) {
        added.reverse();
        added.sort_unstable();
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn roles_follow_metadata() {
        assert_eq!(role(b"NA"), (Role::Task, None));
        assert_eq!(role(b"chunk_start"), (Role::Bookkeeping, None));
        assert_eq!(role(b"chunk_continuation"), (Role::Bookkeeping, None));
        assert_eq!(role(b"chunk_-2_4"), (Role::Chunk, Some([-2, 4])));
        assert_eq!(role(b"chunk_1_x"), (Role::Bookkeeping, None));
    }

    #[test]
    fn waits_come_in_order_without_placeholders() {
        let mut instants = vec![7];
        assert!(waits(b"[0;1900;1200]", &mut instants));
        assert!(waits(b"[0]", &mut instants) && waits(b"NA", &mut instants));
        assert!(!waits(b"[5;x]", &mut instants) && !waits(b"5;6", &mut instants));
        assert_eq!(instants, [7, 1200, 1900]);
    }
}
