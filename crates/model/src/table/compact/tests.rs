//! Compact columns against lists, for blocks of all widths.

use super::*;

/// Blocks of all widths, with and without absent values.
fn column(len: usize, absent_every: usize) -> Vec<Option<i64>> {
    let mut state = 7_u64;
    let value = |at: usize| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        let bits = [0, 1, 8, 9, 16, 17, 32, 33, 63, 64][at / BLOCK_ROWS % 10];
        let value = state.checked_shr(64 - bits).unwrap_or(0).cast_signed();
        (absent_every == 0 || !at.is_multiple_of(absent_every)).then_some(value)
    };
    (0..len).map(value).collect()
}

#[test]
fn values_come_back_however_they_were_appended() {
    for (len, absent_every) in [
        (0, 0),
        (1, 0),
        (1, 1),
        (1024, 0),
        (11_000, 0),
        (11_000, 7),
        (3_000, 1),
        (2_500, 2_000),
    ] {
        let values = column(len, absent_every);
        let column: CompactColumn<i64> = values.iter().copied().collect();
        assert_eq!(column.len(), len);
        assert_eq!(column.iter().collect::<Vec<_>>(), values);
        assert_eq!(
            column.null_count(),
            values.iter().filter(|value| value.is_none()).count()
        );
        let numbers: Vec<i64> = values.iter().map(|value| value.unwrap_or(0)).collect();
        assert_eq!(column.values().iter().collect::<Vec<_>>(), numbers);
        for row in 0..len {
            assert_eq!(
                (column.get(row), column.value(row)),
                (values[row], numbers[row])
            );
        }
        assert_eq!(column.get(len), None);
        let array = column.to_arrow();
        assert_eq!(array.iter().collect::<Vec<_>>(), values);
        let range = len / 3..len + 7;
        assert_eq!(
            column.part_to_arrow(range.clone()),
            array.slice(range.start, len - range.start)
        );
        let mut pieces = CompactBuilder::default();
        for (from, to) in [(0, len / 5), (len / 5, len / 2), (len / 2, len)] {
            pieces.extend(&array.slice(from, to - from));
        }
        assert_eq!(pieces.finish(), column);
        let mut absent = CompactBuilder::default();
        absent.extend_absent(len / 7);
        absent.extend(&array);
        absent.extend_absent(len * 3);
        let mut expected = vec![None; len / 7];
        expected.extend(values);
        expected.extend(vec![None; len * 3]);
        assert_eq!(absent.finish(), expected.into());
    }
}

#[test]
fn a_block_is_as_wide_as_its_numbers_differ() {
    let bytes = |values: &[i64]| {
        let column: CompactColumn<i64> = values.iter().copied().collect();
        column.bytes.len() - PADDING
    };
    assert_eq!(bytes(&[i64::MAX; 9]), 0);
    assert_eq!(bytes(&[-3, 252]), 2);
    assert_eq!(bytes(&[-3, 253]), 4);
    assert_eq!(bytes(&[1 << 40, (1 << 40) + 0x1_0000]), 6);
    assert_eq!(bytes(&[i64::MIN, i64::MAX]), 16);
}

#[test]
fn numbers_are_searched_as_a_slice_is() {
    let values: Vec<i32> = (0..5_000).map(|at| at / 3).collect();
    let column: CompactColumn<i32> = values.clone().into();
    let numbers = column.values().slice(100..4_000);
    assert_eq!(
        (numbers.len(), numbers.get(0), numbers.get(3_900)),
        (3_900, Some(33), None)
    );
    for bound in [-1, 33, 34, 700, 5_000] {
        let expected = values[100..4_000].partition_point(|&value| value < bound);
        assert_eq!(numbers.partition_point(|value| value < bound), expected);
    }
    assert!(column.values().slice(6_000..7_000).is_empty());
}
