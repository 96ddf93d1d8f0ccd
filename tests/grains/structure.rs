//! Structure ids and similarities of seven small trees against those of grakel, networkx, zss and apted.

use std::collections::BTreeSet;

use serde_json::Value;
use sheaf_model::{StructureForm, StructureId};
use sheaf_structure::LabelledTree;
use sheaf_structure::edit::{EditDistance, EditScript};
use sheaf_structure::similarity::Features;
use sheaf_tests::workspace_root;

/// The tree of a text like `{r{a}{b}}`; labels are letters.
fn tree(text: &str) -> LabelledTree {
    let (mut sizes, mut open, mut labels) = (Vec::new(), Vec::new(), Vec::new());
    for letter in text.bytes() {
        match letter {
            b'{' => open.push(sizes.len()),
            b'}' => {
                let node: usize = open.pop().unwrap();
                sizes[node] = u32::try_from(sizes.len() - node).unwrap();
            }
            letter => {
                sizes.push(1);
                labels.push(u32::from(letter - b'a'));
            }
        }
    }
    let names = ('a'..='z').map(|letter| StructureId::label(&letter.to_string(), None));
    LabelledTree::new(sizes, labels, names.collect()).unwrap()
}

const TREES: [(&str, &str); 7] = [
    ("A", "{r{a}{b{c}{d}}}"),
    ("B", "{r{b{d}{c}}{a}}"),
    ("C", "{r{a}{b{c}}}"),
    ("D", "{r{a}{x{c}{d}}}"),
    ("E", "{r{a}{e}{b{c}{d}}}"),
    ("F", "{r{w{a}{b{c}{d}}}}"),
    ("G", "{r{a}{b{c}{d}}{b{c}{d}}}"),
];

/// The reference values, and which of them were compared.
struct Oracle {
    values: Value,
    compared: BTreeSet<String>,
}

impl Oracle {
    /// Compares a number with the one at a place like `/A_vs_B/zss`.
    fn check(&mut self, place: &str, ours: f64) {
        let theirs = self.values.pointer(place);
        let theirs = theirs
            .and_then(Value::as_f64)
            .unwrap_or_else(|| panic!("no number {place}"));
        assert!(
            (ours - theirs).abs() < 1e-12 * theirs.max(1.0),
            "{place}: {ours}, {theirs}"
        );
        self.compared.insert(place.to_owned());
    }

    fn check_whether(&mut self, place: &str, ours: bool) {
        assert_eq!(self.values.pointer(place), Some(&ours.into()), "{place}");
        self.compared.insert(place.to_owned());
    }

    /// Places of all values, with and without a comparison.
    fn places(&self) -> BTreeSet<String> {
        let mut places = BTreeSet::new();
        let mut open = vec![(String::new(), &self.values)];
        while let Some((place, value)) = open.pop() {
            match value {
                Value::Object(of) => {
                    open.extend(
                        of.iter()
                            .map(|(key, value)| (format!("{place}/{key}"), value)),
                    );
                }
                Value::Array(of) => {
                    let of = of.iter().enumerate();
                    open.extend(of.map(|(at, value)| (format!("{place}/{at}"), value)));
                }
                _ => {
                    places.insert(place);
                }
            }
        }
        places
    }
}

#[test]
fn measures_of_seven_trees() {
    let path = workspace_root().join("../shared/oracle/structure.json");
    let Ok(text) = std::fs::read_to_string(path) else {
        println!("not compared: the reference data are not beside the project (../shared/oracle)");
        return;
    };
    let mut oracle = Oracle {
        values: serde_json::from_str(&text).unwrap(),
        compared: BTreeSet::new(),
    };
    let a = tree(TREES[0].1);
    for (name, text) in TREES {
        let b = tree(text);
        check_kernels(&mut oracle, name, &a, &b);
        check_measures(&mut oracle, name, &a, &b);
    }
    // Measures that no answer has.
    let unused = [
        "path_set_jaccard",
        "pos_id_match",
        "pos_id_only_match",
        "ted_norm_max",
    ];
    let mut places = oracle.places();
    places.retain(|place| {
        !place.starts_with("/deltacon/") && !unused.iter().any(|name| place.ends_with(name))
    });
    assert_eq!(oracle.compared, places, "every value is compared");
    assert_eq!(oracle.compared.len(), 7 * (9 + 10));
}

fn dice(a: &Features, b: &Features) -> f64 {
    (2 * a.shared(b)) as f64 / (a.total() + b.total()) as f64
}

fn check_kernels(oracle: &mut Oracle, name: &str, a: &LabelledTree, b: &LabelledTree) {
    for h in 1..=3 {
        let features = |tree: &LabelledTree| Features::merged(&tree.weisfeiler_lehman(h));
        let (a, b) = (features(a), features(b));
        oracle.check(&format!("/WL_h{h}_raw_rowA/{name}"), a.dot(&b));
        oracle.check(&format!("/WL_h{h}_norm_rowA/{name}"), a.cosine(&b));
        oracle.check(&format!("/WL_h{h}_selfkernels/{name}"), b.dot(&b));
    }
}

fn check_measures(oracle: &mut Oracle, name: &str, a: &LabelledTree, b: &LabelledTree) {
    let both = |features: &dyn Fn(&LabelledTree) -> Features| [features(a), features(b)];
    let [x, y] = both(&|tree| tree.subtrees(StructureForm::Unordered));
    let labels = both(&|tree| tree.weisfeiler_lehman(0).remove(0));
    let distance = EditDistance::between(a, b).unwrap();
    let script = EditScript::between(a, b).unwrap();
    assert_eq!(script.edits(), distance.edits, "{name}");
    let values = [
        ("size", b.len() as f64),
        ("subtree_jaccard", x.min_max(&y)),
        ("subtree_dice", dice(&x, &y)),
        ("subtree_cosine", x.cosine(&y)),
        ("label_dice", dice(&labels[0], &labels[1])),
        ("zss", distance.edits as f64),
        ("apted", distance.edits as f64),
        ("ted_similarity_1_minus_d_over_sum", distance.similarity()),
    ];
    for (measure, ours) in values {
        oracle.check(&format!("/A_vs_{name}/{measure}"), ours);
    }
    let is_equal = |form| a.structure_ids(form)[0] == b.structure_ids(form)[0];
    let forms = [
        ("ordered_iso", StructureForm::Ordered),
        ("unordered_iso", StructureForm::Unordered),
    ];
    for (measure, form) in forms {
        oracle.check_whether(&format!("/A_vs_{name}/{measure}"), is_equal(form));
    }
}
