use std::collections::HashMap;
use std::sync::{Mutex, RwLock};

pub struct Cache {
    refresh: Mutex<()>,
    rates: RwLock<HashMap<String, f64>>,
}

impl Cache {
    /// Fetches a rate once, also if several threads need it.
    pub fn rate(&self, currency: &str, fetch: impl Fn(&str) -> f64) -> Option<f64> {
        let _ = self.refresh.lock().unwrap(); // want high "released at once"
        if let Some(rate) = self.rates.read().unwrap().get(currency) {
            return Some(*rate);
        }
        let rate = fetch(currency);
        if rate == f64::NAN { // want medium "nan"
            return None;
        }
        self.rates.write().unwrap().insert(currency.to_string(), rate);
        Some(rate)
    }
}
