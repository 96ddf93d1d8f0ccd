//! Tables as HTML and Markdown: the same cells, whole.

use sheaf_server::Markup;

use super::{Kind, Table, Tone};

impl Table {
    /// The table with a caption.
    pub(crate) fn markup(&self, caption: &str) -> Markup {
        let mut html = Markup::default();
        html.open_scrolling(caption)
            .open_as("table", "report-table")
            .element("caption", caption);
        if self.columns.iter().any(|(header, _)| !header.is_empty()) {
            html.open("thead").open("tr");
            for (header, kind) in &self.columns {
                // A column without a title has no header cell, which readers of the screen would announce.
                let tag = if header.is_empty() { "td" } else { "th" };
                html.element_as(tag, class(*kind), header);
            }
            html.close("tr").close("thead");
        }
        html.line().open("tbody");
        for row in &self.rows {
            html.open("tr");
            for ((cell, tone), (_, kind)) in row.iter().zip(&self.columns) {
                html.open_as("td", class(*kind));
                match (kind, tone_class(*tone)) {
                    (Kind::Name, _) => html.name(cell),
                    (_, "") => html.text(cell),
                    (_, tone) => html.element_as("span", tone, cell),
                };
                html.close("td");
            }
            html.close("tr").line();
        }
        html.close("tbody").close("table").close("div").line();
        html
    }

    /// The table in Markdown; `name` writes the cells of names.
    pub(crate) fn markdown(&self, name: fn(&str) -> String) -> String {
        let line = |cells: Vec<String>| format!("| {} |\n", cells.join(" | "));
        let headers = self.columns.iter().map(|(header, _)| header.clone());
        let mut text = line(headers.collect());
        for (_, kind) in &self.columns {
            let is_number = *kind == Kind::Number;
            text.push_str(if is_number { "|--:" } else { "|---" });
        }
        text.push_str("|\n");
        for row in &self.rows {
            let cells = row.iter().zip(&self.columns);
            let cells = cells.map(|((cell, _), (_, kind))| match kind {
                Kind::Name => name(cell),
                Kind::Word | Kind::Number => cell.clone(),
            });
            text.push_str(&line(cells.collect()));
        }
        text
    }
}

const fn class(kind: Kind) -> &'static str {
    match kind {
        Kind::Name => "is-name",
        Kind::Word => "is-word",
        Kind::Number => "is-number",
    }
}

const fn tone_class(tone: Tone) -> &'static str {
    match tone {
        Tone::Plain => "",
        Tone::Good => "is-good",
        Tone::Bad => "is-bad",
        Tone::Notable => "is-notable",
        Tone::Faint => "is-faint",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_text() {
        let mut table = Table::default().name("group").number("A (ms)").word("");
        table.toned_row([
            ("<b>sort</b>\u{202e}".into(), Tone::Plain),
            ("1.25".into(), Tone::Plain),
            ("▲ slower".into(), Tone::Bad),
        ]);
        let expected = "<div class=\"report-scroll\" role=\"region\" tabindex=\"0\" aria-label=\"Groups\">\
            <table class=\"report-table\"><caption>Groups</caption><thead><tr>\
            <th class=\"is-name\">group</th><th class=\"is-number\">A (ms)</th><td class=\"is-word\"></td>\
            </tr></thead>\n<tbody><tr>\
            <td class=\"is-name\"><bdi>&lt;b&gt;sort&lt;/b&gt;\\u{202e}</bdi></td>\
            <td class=\"is-number\">1.25</td>\
            <td class=\"is-word\"><span class=\"is-bad\">▲ slower</span></td></tr>\n\
            </tbody></table></div>\n";
        assert_eq!(table.markup("Groups").as_str(), expected);
    }
}
