//! Models in the performance model normal form.

use super::*;

/// The points of a set of `pmnf`: those of `scaling`, or what its exact law makes of its p.
fn model_points(name: &str, data: &Value) -> Vec<(f64, f64)> {
    let set = &data["pmnf"][name];
    let scaling = match name {
        "W2_log" | "W3_lulesh_like" => name,
        "P2_default" | "P2_negative_exponents" => "P2_measured_like",
        _ => "",
    };
    if !scaling.is_empty() {
        return series_of(&data["scaling"][scaling]).points().to_vec();
    }
    let value = |p: f64| match name {
        "exact_plogp" => 3.0 + 2.0 * p * p.log2(),
        "exact_sqrt" => 5.0 + 0.5 * p.sqrt(),
        _ => set["y"].as_f64().unwrap(),
    };
    numbers(&set["p"])
        .into_iter()
        .map(|p| (p, value(p)))
        .collect()
}

/// `9.94 + 0.546666666667*log2(p)` as a constant, a factor and a term.
fn parse_model(text: &str) -> (f64, Option<(f64, String)>) {
    let Some((constant, rest)) = text.split_once(' ') else {
        return (text.parse().unwrap(), None);
    };
    let (sign, rest) = rest.split_once(' ').unwrap();
    let (factor, term) = rest.split_once('*').unwrap();
    let factor: f64 = factor.parse().unwrap();
    let factor = if sign == "-" { -factor } else { factor };
    let term = term.replace('*', " * ").replace("p^(-1)", "p^-1");
    (constant.parse().unwrap(), Some((factor, term)))
}

#[test]
fn models_match_the_reference_data() {
    let Some(data) = oracle() else { return };
    let mut ours = Record(BTreeMap::new());
    let mut models = 0;
    for (name, set) in data["pmnf"].as_object().unwrap() {
        given(&format!("pmnf/{name}"), set, &["p", "y"], &mut ours);
        let points = model_points(name, &data);
        let model = Pmnf::fit(&points, name.contains("negative")).unwrap();
        assert_eq!(model.is_underdetermined, points.len() < 5);
        let (constant, term) = parse_model(set["model"].as_str().unwrap());
        check(name, Some(model.constant), constant, 11);
        assert_eq!(model.term.is_some(), term.is_some(), "{name}: {model}");
        if let (Some((factor, ours)), Some((expected, reference))) = (model.term, term) {
            check(name, Some(factor), expected, 11);
            assert_eq!(ours.to_string(), reference, "{name}");
        }
        models += 1;
        let path = |what: &str| format!("pmnf/{name}/{what}");
        // Printed with five digits and less.
        let is_short = name == "P2_negative_exponents";
        let close = if is_short {
            Close::Digits(5)
        } else {
            Close::Printed
        };
        let figures = [
            ("smape_loo", Some(model.smape)),
            ("smape", Some(model.smape)),
            ("adj_R2", model.adjusted_r_squared),
            ("rss_loo", Some(model.rss_left_out)),
            ("rss_plain", Some(model.rss)),
        ];
        for (what, value) in figures {
            if !set[what].is_null() {
                ours.put(path(what), value, close);
            }
        }
    }
    let count = compare("pmnf", &data["pmnf"], &ours.0);
    println!("{models} models and {count} values of `pmnf`");
    assert_eq!((models, count), (7, 26));
}
