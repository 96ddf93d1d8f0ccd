//! Every value under `scaling`, `decomposition` and `pmnf` of the reference data, each visited once.

mod models;

use std::collections::BTreeMap;

use serde_json::Value;

use super::super::reference::oracle;
use super::*;

/// How close we must come.
#[derive(Clone, Copy)]
enum Close {
    /// To the digits printed.
    Printed,
    /// To this many digits: results of an optimiser that stopped earlier than ours.
    Digits(i32),
    /// The reference is rounding noise around 0: we must be nearer to 0 than this.
    Noise(f64),
}

/// Ours by path, and how close it must be. `None` stands for null.
type Ours = BTreeMap<String, (Option<f64>, Close)>;

struct Record(Ours);

impl Record {
    fn put(&mut self, path: String, value: impl Into<Option<f64>>, close: Close) {
        let before = self.0.insert(path, (value.into(), close));
        assert!(before.is_none());
    }

    fn printed(&mut self, path: String, value: impl Into<Option<f64>>) {
        self.put(path, value, Close::Printed);
    }
}

fn numbers(value: &Value) -> Vec<f64> {
    let values = value.as_array().unwrap().iter();
    values.map(|value| value.as_f64().unwrap()).collect()
}

fn series_of(data: &Value) -> Series {
    let points = numbers(&data["p"]).into_iter().zip(numbers(&data["T"]));
    Series::new(points).unwrap()
}

/// Numbers at every path below `value`; texts are left to their own test.
fn leaves(path: &str, value: &Value, found: &mut BTreeMap<String, Option<f64>>) {
    match value {
        Value::Null => drop(found.insert(path.to_owned(), None)),
        Value::Number(number) => drop(found.insert(path.to_owned(), number.as_f64())),
        Value::Array(items) => {
            for (place, item) in items.iter().enumerate() {
                leaves(&format!("{path}/{place}"), item, found);
            }
        }
        Value::Object(fields) => {
            for (name, field) in fields {
                leaves(&format!("{path}/{name}"), field, found);
            }
        }
        Value::String(_) | Value::Bool(_) => {}
    }
}

/// Compares what we have with all that is there; returns how many values.
fn compare(key: &str, reference: &Value, ours: &Ours) -> usize {
    let mut expected = BTreeMap::new();
    leaves(key, reference, &mut expected);
    for path in ours.keys() {
        assert!(
            expected.contains_key(path),
            "{path} is not in the reference"
        );
    }
    for (path, reference) in &expected {
        let Some((value, close)) = ours.get(path) else {
            panic!("{path} was not visited");
        };
        match (reference, close) {
            (None, _) => assert_eq!(*value, None, "{path}"),
            (Some(reference), Close::Printed) => check(path, *value, *reference, 11),
            (Some(reference), Close::Digits(digits)) => check(path, *value, *reference, *digits),
            (Some(reference), Close::Noise(bound)) => {
                let value = value.unwrap_or(0.0);
                assert!(
                    value.abs() <= *bound,
                    "{path}: {value}, reference noise {reference}"
                );
            }
        }
    }
    expected.len()
}

fn strong(name: &str, data: &Value, ours: &mut Record) {
    let series = series_of(data);
    given(&format!("scaling/{name}"), data, &["p", "T"], ours);
    for (place, point) in series.scaled().iter().enumerate() {
        let mut put = |what: &str, value: Option<f64>| {
            ours.printed(format!("scaling/{name}/{what}/{place}"), value);
        };
        put("speedup", Some(point.speedup));
        put("efficiency", Some(point.efficiency));
        put("karp_flatt", point.karp_flatt);
    }
    let is_exact = name.starts_with("P1");
    let amdahl = Amdahl::fit(&series).unwrap();
    let path = |what: &str| format!("scaling/{name}/amdahl/{what}");
    ours.printed(path("T_serial"), amdahl.serial);
    ours.printed(path("T_par"), amdahl.parallel);
    ours.printed(path("serial_fraction"), amdahl.serial_fraction());
    ours.printed(path("Smax"), amdahl.limit());
    ours.printed(path("R2"), amdahl.r_squared);
    // 9.2e-28: the data are the law's.
    let rss = if is_exact {
        Close::Noise(1e-20)
    } else {
        Close::Printed
    };
    ours.put(path("RSS"), amdahl.rss, rss);
    universal(name, &series, is_exact, ours);
}

fn universal(name: &str, series: &Series, is_exact: bool, ours: &mut Record) {
    let path = |what: &str| format!("scaling/{name}/usl/{what}");
    let free = Usl::fit(series, true).unwrap();
    let one = Usl::fit(series, false).unwrap();
    // The reference's optimiser stopped at a relative change of 1e-8.
    let close = if name.starts_with("P2") {
        Close::Digits(7)
    } else {
        Close::Digits(11)
    };
    // P1: 1.8e-17, 9.1e-16 and −4.8e-20 for κ = 0.
    let kappa = if is_exact { Close::Noise(1e-12) } else { close };
    for (what, law) in [("free_lambda", free), ("lambda1", one)] {
        let parameters = match what {
            "free_lambda" => vec![(law.lambda, close), (law.sigma, close), (law.kappa, kappa)],
            _ => vec![(law.sigma, close), (law.kappa, kappa)],
        };
        for (place, (value, close)) in parameters.into_iter().enumerate() {
            ours.put(path(&format!("{what}/{place}")), value, close);
        }
    }
    let (sigma, slope) = usl_start(series).unwrap();
    ours.printed(path("linearised_sigma_kappa/0"), sigma);
    let close = if is_exact {
        Close::Noise(1e-12)
    } else {
        Close::Printed
    };
    ours.put(path("linearised_sigma_kappa/1"), slope, close);
    ours.put(path("peak_p_lambda1"), one.peak(), close_peak(name));
    if is_exact {
        // 231,820,049.737 is √(0.95 / 1.8e-17): of noise. Ours has no peak.
        assert_eq!(free.peak(), None);
        ours.put(path("peak_p_free"), None, Close::Noise(0.0));
    } else {
        ours.put(path("peak_p_free"), free.peak(), close_peak(name));
    }
}

fn close_peak(name: &str) -> Close {
    if name.starts_with("P2") {
        Close::Digits(7)
    } else {
        Close::Digits(11)
    }
}

fn weak(name: &str, data: &Value, ours: &mut Record) {
    let series = series_of(data);
    given(&format!("scaling/{name}"), data, &["p", "T"], ours);
    for (place, point) in series.scaled().iter().enumerate() {
        let mut put = |what: &str, value: Option<f64>| {
            ours.printed(format!("scaling/{name}/{what}/{place}"), value);
        };
        put("weak_efficiency", Some(point.weak_efficiency));
        put("scaled_speedup", Some(point.scaled_speedup));
        put("gustafson_s_pointwise", point.gustafson);
    }
    let path = |what: &str| format!("scaling/{name}/{what}");
    // W1 is constant: −6.3e-16 per doubling, an exponent of 1.0e-16.
    let zero = if name.starts_with("W1") {
        Close::Noise(1e-14)
    } else {
        Close::Printed
    };
    ours.printed(
        path("gustafson_s_lsq"),
        Gustafson::fit(&series).unwrap().serial,
    );
    let log = LogLaw::fit(&series).unwrap();
    ours.printed(path("log2_fit/0"), log.constant);
    ours.put(path("log2_fit/1"), log.slope, zero);
    let power = PowerLaw::fit(&series).unwrap();
    ours.put(path("power_fit_exponent"), power.exponent, zero);
    ours.printed(path("power_fit_coef"), power.coefficient);
}

/// Inputs, which are in the reference too.
fn given(path: &str, data: &Value, names: &[&str], ours: &mut Record) {
    let mut inputs = BTreeMap::new();
    for name in names {
        if let Some(input) = data.get(name) {
            leaves(&format!("{path}/{name}"), input, &mut inputs);
        }
    }
    for (path, value) in inputs {
        ours.printed(path, value);
    }
}

#[test]
fn scaling_matches_the_reference_data() {
    let Some(data) = oracle() else { return };
    let mut ours = Record(BTreeMap::new());
    for (name, set) in data["scaling"].as_object().unwrap() {
        if name.starts_with('P') {
            strong(name, set, &mut ours);
        } else {
            weak(name, set, &mut ours);
        }
    }
    let count = compare("scaling", &data["scaling"], &ours.0);
    println!("{count} values of `scaling`");
    assert_eq!(count, 235);
}

/// Times are in units of a thousandth, so that all are integers.
fn thousandths(value: &Value) -> i64 {
    let scaled = value.as_f64().unwrap() * 1000.0;
    assert!((scaled - scaled.round()).abs() < 1e-6);
    #[expect(clippy::cast_possible_truncation, reason = "a small whole number")]
    let whole = scaled.round() as i64;
    whole
}

fn account(name: &str, data: &Value, ours: &mut Record) {
    let list = |what: &str| -> Vec<i64> {
        data[what]
            .as_array()
            .unwrap()
            .iter()
            .map(thousandths)
            .collect()
    };
    let path = |what: &str| format!("decomposition/{name}/{what}");
    given(
        &format!("decomposition/{name}"),
        data,
        &["p", "T", "useful", "ovh", "idle", "T1", "span"],
        ours,
    );
    let useful = list("useful");
    let spent = Spent {
        workers: data["p"].as_i64().unwrap(),
        elapsed: thousandths(&data["T"]),
        work: useful.iter().sum(),
        overhead: Some(list("ovh").iter().sum()),
        idle: Some(thousandths(&data["idle"])),
        reference_work: thousandths(&data["T1"]),
    };
    let loss = Loss::of(&spent);
    assert_eq!((loss.sum(), loss.unexplained), (loss.area, 0), "{name}");
    let workers = spent.workers as f64;
    let [area, work] = [loss.area as f64 / 1000.0, spent.work as f64 / 1000.0];
    let [overhead, idle] = [loss.overhead, loss.idle].map(|part| part.unwrap() as f64 / 1000.0);
    let mut put = |what: &str, value: f64| ours.printed(path(what), value);
    put("area_pT", area);
    put("work", work);
    put("overhead", overhead);
    put("f_work", work / area);
    put("f_ovh", overhead / area);
    put("f_idle", idle / area);
    put("inflation_abs", loss.inflation as f64 / 1000.0);
    let parts = [
        ("ideal", loss.ideal),
        ("inflation", loss.inflation),
        ("overhead", loss.overhead.unwrap()),
        ("idle", loss.idle.unwrap()),
        ("sum", loss.sum()),
    ];
    for (part, value) in parts {
        put(
            &format!("lost_time/{part}"),
            value as f64 / 1000.0 / workers,
        );
    }
    efficiencies(name, data, &useful, &spent, ours);
}

fn efficiencies(name: &str, data: &Value, useful: &[i64], spent: &Spent, ours: &mut Record) {
    let path = |what: &str| format!("decomposition/{name}/{what}");
    let mut put = |what: &str, value: f64| ours.printed(path(what), value);
    let (work, workers) = (spent.work as f64 / 1000.0, spent.workers as f64);
    let pop = Pop::of(useful, spent.elapsed, spent.reference_work).unwrap();
    put("work_inflation", 1.0 / pop.computation_scaling);
    put("load_balance", pop.load_balance);
    put("comm_eff", pop.communication_efficiency);
    put("parallel_eff", pop.parallel_efficiency);
    put("comp_scal", pop.computation_scaling);
    put("global_eff", pop.global_efficiency);
    put("E_product_check", pop.global_efficiency);
    let [reference, span] = ["T1", "span"].map(|what| data[what].as_f64().unwrap());
    let time = data["T"].as_f64().unwrap();
    let pair = series(&[(1.0, reference), (workers, time)]).scaled()[1];
    put("speedup", pair.speedup);
    put("efficiency", pair.efficiency);
    let bounds = Bounds::of(reference, span, work, workers);
    put(
        "parallelism_T1_over_span",
        Bounds::parallelism(reference, span).unwrap(),
    );
    put("lower_bound_T", bounds.lower);
    put("brent_upper", bounds.upper);
    put("brent_upper_inflated", bounds.upper_inflated);
    let place = match name {
        "D3_inflated" => WithinBounds::Inflated,
        _ => WithinBounds::Greedy,
    };
    assert_eq!(bounds.place(time), place, "{name}");
    assert_eq!(bounds.place(bounds.lower * 0.99), WithinBounds::Below);
    assert_eq!(
        bounds.place(bounds.upper_inflated * 1.01),
        WithinBounds::Above
    );
}

#[test]
fn decomposition_matches_the_reference_data() {
    let Some(data) = oracle() else { return };
    let mut ours = Record(BTreeMap::new());
    for (name, set) in data["decomposition"].as_object().unwrap() {
        account(name, set, &mut ours);
    }
    let count = compare("decomposition", &data["decomposition"], &ours.0);
    println!("{count} values of `decomposition`");
    assert_eq!(count, 122);
}
