//! Progress of a transfer, from an engine's reports of its layers.

use std::collections::HashMap;

use engine::Progress;

/// The layers of one transfer: bytes so far and in total, as far as known.
#[derive(Debug, Default)]
pub(super) struct Layers(HashMap<String, Layer>);

#[derive(Clone, Copy, Debug, Default)]
struct Layer {
    current: u64,
    total: Option<u64>,
    there: bool,
}

impl Layers {
    /// Applies one step; returns percent and bytes. All layers have equal weight: their sizes are unknown before they
    /// begin.
    pub(super) fn take(&mut self, step: &Progress) -> Option<(i64, i64)> {
        let name = step.layer.as_ref()?;
        let layer = match step.status.as_str() {
            "Pulling fs layer" | "Waiting" => self.0.entry(name.clone()).or_default(),
            "Downloading" => {
                let layer = self.0.entry(name.clone()).or_default();
                layer.current = step.current.unwrap_or(layer.current);
                layer.total = step.total.or(layer.total);
                layer
            }
            "Download complete" | "Verifying Checksum" | "Extracting" | "Pull complete" | "Already exists" => {
                let layer = self.0.entry(name.clone()).or_default();
                layer.there = true;
                layer
            }
            _ => return None,
        };
        if layer.there {
            layer.current = layer.total.unwrap_or(layer.current);
        }
        Some(self.sum())
    }

    fn sum(&self) -> (i64, i64) {
        let parts: u64 = self.0.values().map(Layer::percent).sum();
        let percent = parts / u64::try_from(self.0.len()).unwrap_or(1).max(1);
        let bytes = self.0.values().map(|layer| layer.current).fold(0, u64::saturating_add);
        (i64::try_from(percent).unwrap_or_default(), i64::try_from(bytes).unwrap_or(i64::MAX))
    }
}

impl Layer {
    fn percent(&self) -> u64 {
        match self.total {
            _ if self.there => 100,
            Some(total) if total > 0 => (self.current.min(total).saturating_mul(100)) / total,
            _ => 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn layers_count_alike() {
        let step = |layer: &str, status: &str, current, total| Progress {
            layer: Some(layer.to_owned()),
            status: status.to_owned(),
            current,
            total,
        };
        let mut layers = Layers::default();
        assert_eq!(layers.take(&step("2.4", "Pulling from lab/x", None, None)), None);
        assert_eq!(layers.take(&step("a", "Pulling fs layer", None, None)), Some((0, 0)));
        assert_eq!(layers.take(&step("b", "Already exists", None, None)), Some((50, 0)));
        assert_eq!(layers.take(&step("a", "Downloading", Some(5), Some(10))), Some((75, 5)));
        assert_eq!(layers.take(&step("a", "Download complete", None, None)), Some((100, 10)));
        assert_eq!(layers.take(&step("a", "Extracting", Some(1), Some(10))), Some((100, 10)));
    }
}
