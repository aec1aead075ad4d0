//! Prometheus' text format; pure.

use std::fmt::{Display, Write};

/// Metrics in the text format.
#[derive(Debug, Default)]
pub(super) struct Text(String);

/// One metric, to which samples are added.
#[derive(Debug)]
pub(super) struct Gauge<'a> {
    name: &'static str,
    text: &'a mut String,
}

impl Text {
    /// Adds a gauge, once for each name.
    pub(super) fn gauge(&mut self, name: &'static str, help: &str) -> Gauge<'_> {
        self.line(format_args!("# HELP {name} {help}"));
        self.line(format_args!("# TYPE {name} gauge"));
        Gauge { name, text: &mut self.0 }
    }

    pub(super) fn append(&mut self, other: &Self) {
        self.0.push_str(&other.0);
    }

    pub(super) fn into_string(self) -> String {
        self.0
    }

    fn line(&mut self, line: impl Display) {
        write_line(&mut self.0, line);
    }
}

impl Gauge<'_> {
    /// A value with these labels.
    pub(super) fn sample(&mut self, labels: &[(&str, &str)], value: impl Display) -> &mut Self {
        let pairs: Vec<String> = labels.iter().map(|(name, value)| format!("{name}=\"{}\"", escaped(value))).collect();
        let labels = if pairs.is_empty() { String::new() } else { format!("{{{}}}", pairs.join(",")) };
        write_line(self.text, format_args!("{}{labels} {value}", self.name));
        self
    }

    /// The same, where there is a value.
    pub(super) fn sample_some(&mut self, labels: &[(&str, &str)], value: Option<impl Display>) -> &mut Self {
        match value {
            Some(value) => self.sample(labels, value),
            None => self,
        }
    }

    /// One sample for each of these states: 1 for the present one, 0 for the others.
    pub(super) fn states(&mut self, labels: &[(&str, &str)], states: &[&str], state: &str) -> &mut Self {
        for one in states {
            let labels: Vec<(&str, &str)> = labels.iter().copied().chain([("state", *one)]).collect();
            self.sample(&labels, u8::from(*one == state));
        }
        self
    }
}

fn write_line(text: &mut String, line: impl Display) {
    // Writing into a string can't fail.
    let _ = writeln!(text, "{line}");
}

fn escaped(value: &str) -> String {
    value.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_people_chose_stay_within_their_label() {
        let mut text = Text::default();
        text.gauge("yunlab_server_up", "Whether.").sample(&[("server", "a\"} 1\n\\x")], 1).sample_some(&[], None::<u8>);
        let expected = "# HELP yunlab_server_up Whether.\n# TYPE yunlab_server_up gauge\n\
            yunlab_server_up{server=\"a\\\"} 1\\n\\\\x\"} 1\n";
        assert_eq!(text.into_string(), expected);
    }

    #[test]
    fn a_state_is_one_and_all_others_are_zero() {
        let mut text = Text::default();
        text.gauge("x", "y").states(&[("uuid", "u")], &["free", "missing"], "missing");
        assert!(text.into_string().ends_with("x{uuid=\"u\",state=\"free\"} 0\nx{uuid=\"u\",state=\"missing\"} 1\n"));
    }
}
