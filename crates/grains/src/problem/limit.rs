//! The right-hand side of a threshold: numbers, what is known of the run, `+ - * /`, parentheses.

use std::fmt;

use sheaf_model::{ParamValue, ParseError};

use crate::grain_metric::{AbsenceReason, Evaluation};

/// A number of the run that a limit can name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Name {
    Cores,
    Workers,
    CoresPerSocket,
}

const NAMES: [(&str, Name); 3] = [
    ("cores", Name::Cores),
    ("workers", Name::Workers),
    ("cores_per_socket", Name::CoresPerSocket),
];

/// A step of an expression in postfix order.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Step {
    Number(f64),
    Name(Name),
    Negate,
    Add,
    Subtract,
    Multiply,
    Divide,
}

impl Step {
    /// Operators that bind more strongly come first.
    fn strength(self) -> u8 {
        match self {
            Self::Add | Self::Subtract => 1,
            Self::Multiply | Self::Divide => 2,
            Self::Number(_) | Self::Name(_) | Self::Negate => 3,
        }
    }
}

/// An expression for a number. Evaluated on a stack of its own, so that its length and nesting do
/// not matter.
#[derive(Debug, Clone, PartialEq)]
pub struct Limit {
    steps: Vec<Step>,
    text: String,
}

impl Limit {
    /// The number in a run.
    ///
    /// # Errors
    /// What it names is not known of the run, or it divides by zero.
    pub fn evaluate(&self, evaluation: &Evaluation<'_>) -> Result<f64, AbsenceReason> {
        let mut stack: Vec<f64> = Vec::new();
        for step in &self.steps {
            let value = match step {
                Step::Number(number) => *number,
                Step::Name(name) => named(*name, evaluation)?,
                Step::Negate => -stack.pop().unwrap_or(f64::NAN),
                operator => {
                    let right = stack.pop().unwrap_or(f64::NAN);
                    let left = stack.pop().unwrap_or(f64::NAN);
                    match operator {
                        Step::Add => left + right,
                        Step::Subtract => left - right,
                        Step::Multiply => left * right,
                        _ => left / right,
                    }
                }
            };
            stack.push(value);
        }
        let value = stack.pop().filter(|value| value.is_finite());
        value.ok_or_else(|| {
            AbsenceReason::because(format!("the limit `{}` has no finite value", self.text))
        })
    }
}

impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

fn named(name: Name, evaluation: &Evaluation<'_>) -> Result<f64, AbsenceReason> {
    match name {
        // Workers beyond the cores of the machine have none of their own.
        Name::Cores => {
            let workers = named(Name::Workers, evaluation)?;
            let params = &evaluation.run().summary.meta.params;
            match params.get("cores") {
                Some(ParamValue::Number(cores)) if *cores > 0.0 => Ok(workers.min(*cores)),
                _ => Ok(workers),
            }
        }
        Name::Workers => evaluation
            .workers()
            .map(|workers| workers as f64)
            .ok_or_else(|| AbsenceReason::because("the number of workers is not known")),
        Name::CoresPerSocket => evaluation
            .cores_per_socket()
            .map(f64::from)
            .ok_or_else(|| AbsenceReason::because("it is not known how many cores share a socket")),
    }
}

/// Reads a text from left to right, by characters.
pub(super) struct Reader<'a> {
    text: &'a str,
    chars: Vec<char>,
    at: usize,
}

impl<'a> Reader<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self {
            text,
            chars: text.chars().collect(),
            at: 0,
        }
    }

    pub(super) fn error(&self, reason: &str) -> ParseError {
        ParseError {
            reason: reason.to_owned(),
            position: self.at + 1,
            text: self.text.to_owned(),
        }
    }

    fn peek(&self) -> Option<char> {
        self.chars.get(self.at).copied()
    }

    pub(super) fn skip_blanks(&mut self) {
        while self.peek().is_some_and(char::is_whitespace) {
            self.at += 1;
        }
    }

    /// Takes a character that may follow.
    pub(super) fn take(&mut self, wanted: char) -> bool {
        let found = self.peek() == Some(wanted);
        self.at += usize::from(found);
        found
    }

    pub(super) fn take_while(&mut self, is_part: impl Fn(char) -> bool) -> String {
        let rest = self.chars.get(self.at..).unwrap_or_default();
        let part: String = rest.iter().copied().take_while(|&c| is_part(c)).collect();
        self.at += part.chars().count();
        part
    }

    /// The rest of the text as a limit.
    ///
    /// # Errors
    /// Where and why it is none.
    pub(super) fn limit(mut self) -> Result<Limit, ParseError> {
        self.skip_blanks();
        let rest = self.chars.get(self.at..).unwrap_or_default();
        let text: String = rest.iter().collect();
        let mut steps = Vec::new();
        // Operators that wait for their right-hand side; `None` for an open parenthesis.
        let mut waiting: Vec<Option<Step>> = Vec::new();
        let mut is_operand_next = true;
        loop {
            self.skip_blanks();
            let Some(c) = self.peek() else { break };
            if is_operand_next {
                is_operand_next = self.operand(c, &mut steps, &mut waiting)?;
            } else {
                is_operand_next = self.operator(c, &mut steps, &mut waiting)?;
            }
        }
        if is_operand_next {
            return Err(self.error("expected a number or a name"));
        }
        while let Some(operator) = waiting.pop() {
            steps.push(operator.ok_or_else(|| self.error("expected `)`"))?);
        }
        Ok(Limit {
            steps,
            text: text.trim().to_owned(),
        })
    }

    /// Whether an operand is still to come.
    fn operand(
        &mut self,
        c: char,
        steps: &mut Vec<Step>,
        waiting: &mut Vec<Option<Step>>,
    ) -> Result<bool, ParseError> {
        match c {
            '(' => waiting.push(None),
            '-' => waiting.push(Some(Step::Negate)),
            c if c.is_ascii_digit() || c == '.' => {
                steps.push(Step::Number(self.number()?));
                return Ok(false);
            }
            c if c.is_alphabetic() => {
                steps.push(Step::Name(self.name()?));
                return Ok(false);
            }
            _ => return Err(self.error("expected a number or a name")),
        }
        self.at += 1;
        Ok(true)
    }

    /// Whether an operand comes next.
    fn operator(
        &mut self,
        c: char,
        steps: &mut Vec<Step>,
        waiting: &mut Vec<Option<Step>>,
    ) -> Result<bool, ParseError> {
        let operator = match c {
            '+' => Step::Add,
            '-' => Step::Subtract,
            '*' => Step::Multiply,
            '/' => Step::Divide,
            ')' => {
                loop {
                    match waiting.pop() {
                        Some(Some(operator)) => steps.push(operator),
                        Some(None) => break,
                        None => return Err(self.error("no `(` is open")),
                    }
                }
                self.at += 1;
                return Ok(false);
            }
            _ => return Err(self.error("expected `+`, `-`, `*`, `/`, `)` or the end")),
        };
        while let Some(Some(before)) = waiting.last().copied() {
            if before.strength() < operator.strength() {
                break;
            }
            waiting.pop();
            steps.push(before);
        }
        waiting.push(Some(operator));
        self.at += 1;
        Ok(true)
    }

    fn number(&mut self) -> Result<f64, ParseError> {
        let begin = self.at;
        let mut digits = self.take_while(|c| c.is_ascii_digit() || c == '.');
        if self.take('e') || self.take('E') {
            digits.push('e');
            if self.take('-') {
                digits.push('-');
            } else {
                self.take('+');
            }
            digits += &self.take_while(|c| c.is_ascii_digit());
        }
        let number = digits.parse().ok();
        number
            .filter(|number: &f64| number.is_finite())
            .ok_or_else(|| {
                self.at = begin;
                self.error("expected a number")
            })
    }

    fn name(&mut self) -> Result<Name, ParseError> {
        let begin = self.at;
        let word = self.take_while(|c| c.is_alphanumeric() || c == '_');
        let known = NAMES.iter().find(|(name, _)| *name == word);
        known.map(|(_, name)| *name).ok_or_else(|| {
            self.at = begin;
            self.error("expected `cores`, `workers`, `cores_per_socket` or a number")
        })
    }
}
