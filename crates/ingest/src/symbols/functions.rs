//! The functions of the source, by file and first line.
//!
//! Optimised code often attributes a construct inside an inlined function to the outlined
//! region around it. The line is right even then. So the function that the outlined code was
//! taken from contains the construct only if no other function begins between its first line
//! and the construct. Functions inside functions (lambdas, methods of local classes) do not
//! count: code after them belongs to the function around them.

use gimli::Reader;

use super::ranges::Ranges;
use super::{names, subprograms};

/// A function that is defined in the source.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Function {
    pub(super) file: String,
    /// First line.
    pub(super) line: u32,
    /// Demangled.
    pub(super) name: String,
    /// As the linker knows it, or the name in the source.
    pub(super) symbol: String,
    /// It is defined inside another function.
    pub(super) is_local: bool,
    /// The name by which debug information describes it, if that states no symbol.
    pub(super) bare: Option<String>,
}

impl Function {
    fn start(&self) -> (&str, u32) {
        (&self.file, self.line)
    }
}

/// The functions of a module.
#[derive(Debug, Default)]
pub(super) struct Functions {
    /// Ascending by file, line and name.
    list: Vec<Function>,
    /// Positions in the list, ascending by symbol.
    by_symbol: Vec<usize>,
    /// Positions in the list of those that are described by their names only: few.
    bare: Vec<usize>,
    /// Symbols of outlined code and of the functions that contain it, ascending.
    origins: Vec<(String, String)>,
}

impl Functions {
    /// Reads the functions of all units; units that cannot be read are left out. Ends early when
    /// a bound is met, which `ranges` notes.
    pub(super) fn read<R: Reader>(dwarf: &gimli::Dwarf<R>, ranges: &Ranges) -> Self {
        let (functions, origins) = subprograms::read(dwarf, ranges);
        Self::new(functions, origins)
    }

    fn new(mut list: Vec<Function>, mut origins: Vec<(String, String)>) -> Self {
        list.sort();
        list.dedup();
        origins.sort();
        origins.dedup();
        let mut by_symbol: Vec<usize> = (0..list.len()).collect();
        by_symbol.sort_by_key(|&at| list.get(at).map(|function| function.symbol.as_str()));
        let all = list.iter().enumerate();
        let bare = all.filter(|(_, function)| function.bare.is_some());
        Self {
            bare: bare.map(|(at, _)| at).collect(),
            list,
            by_symbol,
            origins,
        }
    }

    /// The function that contains a line, for code that the compiler moved to a function with the
    /// symbol `outlined`.
    pub(super) fn containing(&self, file: &str, line: u32, outlined: &str) -> Option<&str> {
        let origin = self.origin(file, line, outlined);
        let found = origin.filter(|origin| self.reaches(origin, line));
        found
            .or_else(|| self.last_before(file, line, outlined))
            .map(|function| function.name.as_str())
    }

    /// The function that outlined code was taken from. If several functions of the file have its
    /// symbol, as lambdas have, the last one that begins before the line.
    fn origin(&self, file: &str, line: u32, outlined: &str) -> Option<&Function> {
        let first = self
            .origins
            .partition_point(|(from, _)| from.as_str() < outlined);
        let nested = self.origins.get(first..)?.iter();
        let mut symbols: Vec<&str> = nested
            .take_while(|(from, _)| from == outlined)
            .map(|(_, symbol)| symbol.as_str())
            .collect();
        if symbols.is_empty() {
            symbols.extend(names::without_suffix(outlined));
        }
        let functions = symbols.into_iter().flat_map(|symbol| self.named(symbol));
        functions
            .filter(|function| function.file == file && function.line <= line)
            .max_by_key(|function| function.line)
    }

    /// The function that GCC took outlined code from, if the module describes it. GCC outlines constructs before it
    /// inlines functions, so the symbol is right. The line of a call in such code can be that of a function that was
    /// inlined in front of the call.
    pub(super) fn of_gcc(&self, outlined: &str) -> Option<&Function> {
        let (symbol, _) = outlined.split_once("._omp_fn.")?;
        self.named(symbol).next()
    }

    /// Whether a line is in a function, as far as that is known.
    pub(super) fn has_line(&self, function: &Function, file: &str, line: u32) -> bool {
        let reaches =
            |own: &Function| own.file == file && own.line <= line && self.reaches(own, line);
        self.named(&function.symbol).any(reaches)
    }

    /// The full name of a function at a line that is described by its name in the source only. Of several with that
    /// name, the last one that begins before the line.
    pub(super) fn full_name(&self, file: &str, line: u32, bare: &str) -> Option<&str> {
        let described = self.bare.iter().filter_map(|&at| self.list.get(at));
        let found = described
            .filter(|function| function.bare.as_deref() == Some(bare))
            .filter(|function| function.file == file && function.line <= line)
            .max_by_key(|function| function.line);
        found.map(|function| function.name.as_str())
    }

    fn named(&self, symbol: &str) -> impl Iterator<Item = &Function> {
        let at = |&at: &usize| self.list.get(at);
        let symbol_at = move |position: &usize| at(position).map(|found| found.symbol.as_str());
        let first = self
            .by_symbol
            .partition_point(|position| symbol_at(position) < Some(symbol));
        let behind = self
            .by_symbol
            .partition_point(|position| symbol_at(position) <= Some(symbol));
        let positions = self.by_symbol.get(first..behind).unwrap_or_default();
        positions.iter().filter_map(at)
    }

    /// Whether no function that stands on its own begins between the first line of a function and
    /// a later line.
    fn reaches(&self, function: &Function, line: u32) -> bool {
        let file = function.file.as_str();
        let start = self
            .list
            .partition_point(|other| other.start() <= function.start());
        let end = self
            .list
            .partition_point(|other| other.start() <= (file, line));
        let between = self.list.get(start..end).unwrap_or_default();
        between.iter().all(|other| other.is_local)
    }

    /// The last function that begins before a line. Of several on one line (instances of a
    /// template), the one that the outlined code is named after, else the first by name.
    fn last_before(&self, file: &str, line: u32, outlined: &str) -> Option<&Function> {
        let behind = self
            .list
            .partition_point(|other| other.start() <= (file, line));
        let last = self.list.get(behind.checked_sub(1)?)?;
        if last.file != file {
            return None;
        }
        let first = self
            .list
            .partition_point(|other| other.start() < (file, last.line));
        let candidates = self.list.get(first..behind)?;
        let symbol = names::without_suffix(outlined);
        let named = candidates
            .iter()
            .find(|function| Some(function.symbol.as_str()) == symbol);
        named.or(candidates.first())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks the function of lines of `a.cpp`: `main` from line 10 with a lambda on line 12, and
    /// `late` from line 30, written as they are expected per line and outlined symbol.
    #[test]
    fn outlined_code_belongs_to_a_function_that_can_contain_it() {
        let function = |line, name: &str, symbol: &str, is_local| Function {
            file: "a.cpp".to_owned(),
            line,
            name: name.to_owned(),
            symbol: symbol.to_owned(),
            is_local,
            bare: None,
        };
        let functions = Functions::new(
            vec![
                function(1, "early(int)", "_Z5earlyi", false),
                function(10, "main", "main", false),
                function(12, "operator()", "_ZZ4mainENK3$_0clEv", true),
                function(30, "each<int>", "_Z4eachIiEvT_", false),
                function(30, "each<long>", "_Z4eachIlEvT_", false),
            ],
            vec![("main._omp_fn.0".to_owned(), "main".to_owned())],
        );
        for (line, outlined, expected) in [
            (20, "main.omp_outlined", Some("main")),
            (20, "main._omp_fn.0", Some("main")),
            (13, "_ZZ4mainENK3$_0clEv.omp_outlined", Some("operator()")),
            // Inlined code of other functions.
            (2, "main.omp_outlined", Some("early(int)")),
            (31, "main.omp_outlined", Some("each<int>")),
            (31, "_Z4eachIlEvT_.omp_outlined", Some("each<long>")),
            (20, ".omp_outlined.", Some("operator()")),
            (0, "main.omp_outlined", None),
        ] {
            let found = functions.containing("a.cpp", line, outlined);
            assert_eq!(found, expected, "{outlined} on line {line}");
        }
        assert_eq!(functions.containing("b.cpp", 20, "main.omp_outlined"), None);
    }
}
