/// Readings of a sensor, the newest last.
pub struct Series {
    values: Vec<f64>,
}

impl Series {
    pub fn from_lines(text: &str) -> Series {
        Series {
            values: text.lines().filter_map(|l| l.trim().parse().ok()).collect(),
        }
    }

    /// The change from each reading to the next one.
    pub fn changes(&self) -> Vec<f64> {
        let mut changes = Vec::new();
        for i in 0..self.values.len() - 1 { // want high "empty"
            changes.push(self.values[i + 1] - self.values[i]);
        }
        changes
    }
}
