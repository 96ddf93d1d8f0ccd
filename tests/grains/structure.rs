//! Structure ids and similarities of seven small trees against grakel's and networkx's.

use serde_json::Value;
use sheaf_model::{StructureForm, StructureId};
use sheaf_structure::LabelledTree;
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

#[test]
fn measures_of_seven_trees() {
    let path = workspace_root().join("../shared/oracle/structure.json");
    let Ok(text) = std::fs::read_to_string(path) else {
        println!("not compared: the reference data are not beside the project (../shared/oracle)");
        return;
    };
    let oracle: Value = serde_json::from_str(&text).unwrap();
    let mut compared = 0;
    let mut check = |place: &str, name: &str, ours: f64| {
        let theirs = oracle[place][name].as_f64().unwrap();
        assert!(
            (ours - theirs).abs() < 1e-12 * theirs.max(1.0),
            "{place} {name}: {ours}, {theirs}"
        );
        compared += 1;
    };
    let a = tree(TREES[0].1);
    for (name, text) in TREES {
        let b = tree(text);
        for h in 1..=3 {
            let features = |tree: &LabelledTree| Features::merged(&tree.weisfeiler_lehman(h));
            let (a, b) = (features(&a), features(&b));
            check(&format!("WL_h{h}_raw_rowA"), name, a.dot(&b));
            check(&format!("WL_h{h}_norm_rowA"), name, a.cosine(&b));
            check(&format!("WL_h{h}_selfkernels"), name, b.dot(&b));
        }
        let row = format!("A_vs_{name}");
        let subtrees = [&a, &b].map(|tree| tree.subtrees(StructureForm::Unordered));
        check(&row, "subtree_jaccard", subtrees[0].min_max(&subtrees[1]));
        check(&row, "subtree_dice", subtrees[0].dice(&subtrees[1]));
        check(&row, "subtree_cosine", subtrees[0].cosine(&subtrees[1]));
        check(
            &row,
            "path_set_jaccard",
            a.label_paths().min_max(&b.label_paths()),
        );
        let labels = [&a, &b].map(|tree| tree.weisfeiler_lehman(0).remove(0));
        check(&row, "label_dice", labels[0].dice(&labels[1]));
        check(&row, "size", b.len() as f64);
        let is_equal = |form| a.structure_ids(form)[0] == b.structure_ids(form)[0];
        let forms = [
            ("ordered_iso", StructureForm::Ordered),
            ("unordered_iso", StructureForm::Unordered),
        ];
        for (what, form) in forms {
            assert_eq!(oracle[&row][what], is_equal(form), "{row} {what}");
        }
    }
    assert_eq!(compared, 7 * (9 + 6));
}
