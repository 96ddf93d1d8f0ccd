//! Matching of one name with the pieces of one level.

use std::collections::BTreeMap;

use sheaf_model::ParamValue;

use super::Piece;

/// The longest name that file systems allow; matching takes time in its square.
const MAX_BYTES: usize = 255;

/// The named fields of `name`; `None` when it does not match.
///
/// From the last piece to the first it is noted where a piece can begin such that it and all after
/// it match; so nothing is tried twice and nothing recurses.
pub(super) fn fields(pieces: &[Piece], name: &str) -> Option<BTreeMap<String, ParamValue>> {
    if name.len() > MAX_BYTES {
        return None;
    }
    let ends = ends(pieces, name);
    let mut fields = BTreeMap::new();
    let mut at = 0;
    for (piece, ends) in pieces.iter().zip(ends) {
        let end = ends.get(at).copied().flatten()?;
        if let Piece::Field(Some(field), kind) = piece {
            fields.insert(field.clone(), kind.value(name.get(at..end)?)?);
        }
        at = end;
    }
    (at == name.len()).then_some(fields)
}

/// For each piece and each byte at which it may begin, where it ends first so that the rest
/// matches too.
fn ends(pieces: &[Piece], name: &str) -> Vec<Vec<Option<usize>>> {
    // Where what comes after may begin.
    let mut rest: Vec<bool> = (0..=name.len()).map(|at| at == name.len()).collect();
    let mut all: Vec<Vec<Option<usize>>> = Vec::with_capacity(pieces.len());
    for piece in pieces.iter().rev() {
        let ends: Vec<Option<usize>> = (0..=name.len())
            .map(|at| {
                let text = name.get(at..)?;
                match piece {
                    Piece::Literal(literal) => {
                        let end = at + literal.len();
                        (text.starts_with(literal.as_str()) && rest.get(end) == Some(&true))
                            .then_some(end)
                    }
                    Piece::Field(_, kind) => (at + 1..=name.len()).find(|&end| {
                        rest.get(end) == Some(&true)
                            && name
                                .get(at..end)
                                .is_some_and(|text| kind.value(text).is_some())
                    }),
                }
            })
            .collect();
        rest = ends.iter().map(Option::is_some).collect();
        all.push(ends);
    }
    all.reverse();
    all
}
