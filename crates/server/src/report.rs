//! A report: one HTML file that needs neither the service nor a network.
//!
//! The build of the frontend makes its template, with script and styles in it. The content-security policy of the
//! template allows exactly these by their hashes, and no connection.

use sheaf_model::{visible, visible_json};

use crate::http::report_template;

/// Characters of a name above which it is folded.
const LONG_NAME: usize = 160;
/// Characters of a sentence above which it is folded.
const LONG_SENTENCE: usize = 1000;
/// Characters that a folded text shows.
const FOLDED: usize = 60;

/// HTML whose tags and classes are our own words; all else enters it as text.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Markup(String);

impl Markup {
    /// Begins an element.
    pub fn open(&mut self, tag: &'static str) -> &mut Self {
        self.open_as(tag, "")
    }

    /// Begins an element of a class.
    pub fn open_as(&mut self, tag: &'static str, class: &'static str) -> &mut Self {
        self.0.push('<');
        self.0.push_str(tag);
        if !class.is_empty() {
            self.0.extend([" class=\"", class, "\""]);
        }
        self.0.push('>');
        self
    }

    /// Ends an element.
    pub fn close(&mut self, tag: &'static str) -> &mut Self {
        self.0.extend(["</", tag, ">"]);
        self
    }

    /// An element that holds a text.
    pub fn element(&mut self, tag: &'static str, text: &str) -> &mut Self {
        self.element_as(tag, "", text)
    }

    /// An element of a class that holds a text.
    pub fn element_as(&mut self, tag: &'static str, class: &'static str, text: &str) -> &mut Self {
        self.open_as(tag, class).text(text).close(tag)
    }

    /// A text. Characters that are not seen are written out.
    pub fn text(&mut self, text: &str) -> &mut Self {
        escape(&visible(text), &mut self.0);
        self
    }

    /// A name from a source, kept apart from the direction of writing around it. One that is very long is folded.
    pub fn name(&mut self, name: &str) -> &mut Self {
        self.folded(name, LONG_NAME)
    }

    /// Sentences that may contain names, as [`Markup::name`].
    pub fn sentence(&mut self, text: &str) -> &mut Self {
        self.folded(text, LONG_SENTENCE)
    }

    fn folded(&mut self, name: &str, limit: usize) -> &mut Self {
        if name.chars().nth(limit).is_none() {
            return self.element("bdi", name);
        }
        let head: String = name.chars().take(FOLDED).collect();
        let summary = format!("{head}… ({} characters)", name.chars().count());
        self.open_as("details", "long-name")
            .open("summary")
            .element("bdi", &summary)
            .close("summary")
            .element("bdi", name)
            .close("details")
    }

    /// Begins a part that scrolls sideways where there is no room, by keyboard as well.
    pub fn open_scrolling(&mut self, label: &str) -> &mut Self {
        self.0
            .push_str("<div class=\"report-scroll\" role=\"region\" tabindex=\"0\" aria-label=\"");
        self.text(label);
        self.0.push_str("\">");
        self
    }

    /// A line feed, for people who read the file as text.
    pub fn line(&mut self) -> &mut Self {
        self.0.push('\n');
        self
    }

    /// Adds other markup.
    pub fn append(&mut self, other: &Self) -> &mut Self {
        self.0.push_str(&other.0);
        self
    }

    /// The HTML.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

fn escape(text: &str, to: &mut String) {
    for character in text.chars() {
        match character {
            '&' => to.push_str("&amp;"),
            '<' => to.push_str("&lt;"),
            '>' => to.push_str("&gt;"),
            '"' => to.push_str("&quot;"),
            '\'' => to.push_str("&#39;"),
            _ => to.push(character),
        }
    }
}

/// Parts of a report.
#[derive(Debug, Clone)]
pub struct Report<'a> {
    /// Title of the document.
    pub title: &'a str,
    /// The first part: heading, outcome, compared runs.
    pub summary: &'a Markup,
    /// Tables and notes.
    pub tables: &'a Markup,
    /// Answers and pictures as JSON, for the script.
    pub content: &'a str,
}

impl Report<'_> {
    /// The file; nothing if the binary was built without the frontend.
    pub fn to_html(&self) -> Option<String> {
        let template = report_template()?;
        let mut rest = template.as_str();
        let mut html = String::with_capacity(
            template.len() + self.summary.0.len() + self.tables.0.len() + self.content.len(),
        );
        let mut title = Markup::default();
        title.text(self.title);
        let parts = [
            ("<!--report:title-->", title.as_str()),
            ("<!--report:summary-->", self.summary.as_str()),
            ("<!--report:tables-->", self.tables.as_str()),
            ("<!--report:content-->", &embedded(self.content)),
        ];
        // The template is cut at its places before any text enters it, so no text can be taken for a place.
        for (place, part) in parts {
            let (before, after) = rest.split_once(place)?;
            html.push_str(before);
            html.push_str(part);
            rest = after;
        }
        html.push_str(rest);
        Some(html)
    }
}

/// JSON as the text of a script element: nothing in it can end the element, and nothing in it is invisible.
fn embedded(json: &str) -> String {
    let json = visible_json(json);
    let mut text = String::with_capacity(json.len());
    for character in json.chars() {
        match character {
            // Outside of strings JSON has none of these.
            '<' => text.push_str("\\u003c"),
            '>' => text.push_str("\\u003e"),
            '&' => text.push_str("\\u0026"),
            _ => text.push(character),
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_never_markup() {
        let mut markup = Markup::default();
        markup.name("</td><script>alert('1')</script>\u{202e}\u{7}");
        let expected =
            "<bdi>&lt;/td&gt;&lt;script&gt;alert(&#39;1&#39;)&lt;/script&gt;\\u{202e}\\u{7}</bdi>";
        assert_eq!(markup.as_str(), expected);
    }

    #[test]
    fn long_names_are_folded_and_whole() {
        let mut markup = Markup::default();
        markup.name(&"x".repeat(10_000));
        assert!(markup.as_str().contains("… (10000 characters)</bdi>"));
        assert!(markup.as_str().contains(&"x".repeat(10_000)));
    }

    #[test]
    fn no_text_ends_the_script_element() {
        let json = serde_json::json!({"</script><!--": "<script>\u{2028}&\u{202e}"}).to_string();
        let text = embedded(&json);
        assert!(
            !text.contains(['<', '>', '&', '\u{2028}', '\u{202e}']),
            "{text}"
        );
        let read: serde_json::Value = serde_json::from_str(&text).unwrap();
        assert_eq!(read["</script><!--"], "<script>\u{2028}&\u{202e}");
    }

    #[test]
    fn texts_are_not_taken_for_places() {
        let mut summary = Markup::default();
        summary.text("<!--report:content-->");
        let report = Report {
            title: "<!--report:tables--></title>",
            summary: &summary,
            tables: &Markup::default(),
            content: r#"{"a":"<!--report:title-->"}"#,
        };
        // A checkout whose frontend was never built has no template.
        let Some(html) = report.to_html() else { return };
        assert!(html.contains("<title>&lt;!--report:tables--&gt;&lt;/title&gt;</title>"));
        assert!(html.contains(r#"{"a":"\u003c!--report:title--\u003e"}"#));
        assert!(!html.contains("<!--report:"), "every place is filled");
    }
}
