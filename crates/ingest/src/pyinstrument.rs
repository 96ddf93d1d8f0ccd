//! Sessions of pyinstrument in JSON: a tree of frames with inclusive seconds.

#[cfg(test)]
mod tests;

use sheaf_model::{MetricKind, ParamValue, Report, RunMeta, Unit};

use crate::decimal::Decimal;
use crate::json_start::JsonStart;
use crate::json_tree::{Item, JsonTree};
use crate::measure::{MetricSpec, Value};
use crate::profile::{DefinitionIdx, Frame, MetricIdx, NodeIdx, Profile};
use crate::program_name::named;
use crate::python_source::{short_path, without_addresses};
use crate::reader::{Context, Read, Reader, Reads};
use crate::{Error, Format, Input};

/// Sessions of pyinstrument.
pub(crate) const READER: Reader = Reader {
    format: Format::PyInstrument,
    recognises: |start| {
        let json = JsonStart::of(start).filter(|json| !json.is_array);
        json.is_some_and(|json| {
            json.has("root_frame") && (json.has("sample_count") || json.has("duration"))
        })
    },
    reads: Reads::File(read_pyinstrument),
};

/// What pyinstrument calls the time of a frame itself, where it lists it next to the children.
const SELF: &str = "[self]";

fn read_pyinstrument(input: &Input<'_>, context: Context<'_>) -> Result<Vec<Read>, Error> {
    let bytes = input.whole(Format::PyInstrument, context.progress)?;
    let tree = JsonTree::parse(&bytes, Format::PyInstrument, context.progress)?;
    let mut report = Report::default();
    report.add("repaired_texts", tree.num_repaired_texts, || None);
    let root = tree.root().get("root_frame");
    let Some(root) = root.filter(|root| root.is_object()) else {
        return Err(Error::Empty {
            format: Format::PyInstrument,
        });
    };
    let mut profile = Profile::new(meta(input, tree.root()));
    let location = profile.location(0, 0);
    let metrics = [
        (MetricKind::Additive, "self_s", "time less that of children"),
        (MetricKind::Inclusive, "total_s", "time"),
    ];
    let [own, total] = metrics.map(|(kind, name, source)| {
        profile.metric(MetricSpec::new(name, Unit::Seconds, kind, source))
    });
    let mut num_frames = 0_u64;
    let mut open: Vec<(Item<'_, '_>, Option<NodeIdx>)> = vec![(root, None)];
    while let Some((frame, parent)) = open.pop() {
        num_frames += 1;
        if num_frames.is_multiple_of(65_536) {
            context.progress.check()?;
        }
        let definition = definition(&mut profile, frame, num_frames, &mut report);
        let node = profile.node(parent, definition);
        let mut children = children_of(frame);
        let place = || Some(format!("frame {num_frames}"));
        match time_of(frame) {
            Some(time) => {
                let below = children
                    .iter()
                    .filter_map(|child| time_of(*child))
                    .filter(|time| !time.is_negative())
                    .fold(Decimal::default(), |sum, time| sum + time);
                let mut rest = time - below;
                // What is left of a time that is none is none either.
                let is_known = !time.is_negative();
                if is_known && rest.is_negative() {
                    report.add("repaired_negative_times", 1, place);
                    rest = Decimal::default();
                }
                let add = |profile: &mut Profile, metric: MetricIdx, value: Decimal| {
                    profile.add(node, metric, location, Value::Float(value.to_f64()));
                };
                if is_known {
                    add(&mut profile, own, rest);
                }
                add(&mut profile, total, time);
            }
            None => report.add("skipped_times", 1, place),
        }
        children.reverse();
        open.extend(children.into_iter().map(|child| (child, Some(node))));
    }
    report.add("read_frames", num_frames, || None);
    let tables = profile.finish(&mut report)?;
    Ok(vec![(tables, report)])
}

/// Children that are functions: time that is listed as the frame's own is what remains anyway.
fn children_of<'t, 'a>(frame: Item<'t, 'a>) -> Vec<Item<'t, 'a>> {
    let children = frame.get("children").into_iter().flat_map(Item::elements);
    let is_function = |child: &Item<'t, 'a>| {
        child.is_object() && child.get("function").and_then(Item::as_text) != Some(SELF)
    };
    children.filter(is_function).collect()
}

fn time_of(frame: Item<'_, '_>) -> Option<Decimal> {
    Decimal::parse(frame.get("time")?.as_number()?)
}

fn definition(
    profile: &mut Profile,
    frame: Item<'_, '_>,
    number: u64,
    report: &mut Report,
) -> DefinitionIdx {
    let text = |key: &str| {
        frame
            .get(key)
            .and_then(Item::as_text)
            .filter(|text| !text.is_empty())
    };
    let name = text("function");
    if name.is_none() {
        report.add("repaired_names", 1, || Some(format!("frame {number}")));
    }
    let name = name.unwrap_or("(no name)");
    // The short path begins below a folder that Python imports from.
    let is_portable = |path: &&str| !path.starts_with(['/', '.']) && !path.contains(':');
    let file = text("file_path_short").filter(is_portable);
    let file = file.or_else(|| text("file_path").map(short_path));
    let class = text("class_name").map(|class| format!("{class}."));
    let class = class.unwrap_or_default();
    let plain = without_addresses(name);
    let line = frame.get("line_no").and_then(Item::as_i64);
    profile.definition(Frame {
        kind: "function",
        name,
        identity: Some(&format!("{}:{class}{plain}", file.unwrap_or_default())),
        file: file.filter(|file| !file.starts_with('<')),
        line: line
            .and_then(|line| i32::try_from(line).ok())
            .filter(|line| *line > 0),
        module: None,
    })
}

fn meta(input: &Input<'_>, session: Item<'_, '_>) -> RunMeta {
    let text = |key: &str| session.get(key).and_then(Item::as_text);
    let command = text("program").or_else(|| text("target_description")?.strip_prefix("Program: "));
    let program = command.and_then(|command| command.split_ascii_whitespace().next());
    let program = program.and_then(|program| program.rsplit('/').next());
    let mut meta = named(program, input.file_name(), Format::PyInstrument);
    // The duration is the elapsed time: it is no setting, and `elapsed_ns` has it.
    let about = session.members().filter(|(key, _)| *key != "duration");
    for (key, value) in about {
        let value = match (value.as_text(), value.as_f64()) {
            (Some(text), _) => ParamValue::Text(text.to_owned()),
            (None, Some(number)) if number.is_finite() => ParamValue::Number(number),
            _ => continue,
        };
        meta.params.insert(key.to_owned(), value);
    }
    let nanoseconds = |key: &str| {
        let seconds = Decimal::parse(session.get(key)?.as_number()?)?;
        seconds.floor_units_of(9)
    };
    if let Some(started) = nanoseconds("start_time") {
        meta.params
            .insert("started".to_owned(), ParamValue::Time(started));
    }
    meta.elapsed = nanoseconds("duration").filter(|elapsed| *elapsed >= 0);
    meta
}
