use std::collections::HashMap;
use std::sync::mpsc::Sender;
use std::sync::{Mutex, RwLock};

pub struct Cache {
    refresh: Mutex<()>,
    rates: RwLock<HashMap<String, f64>>,
    seen: Sender<String>,
}

impl Cache {
    /// Fetches a rate once, also if several threads need it.
    pub fn rate(&self, currency: &str, fetch: impl Fn(&str) -> f64) -> Option<f64> {
        let _guard = self.refresh.lock().unwrap(); // not `let _ = self.refresh.lock()`
        let _ = self.seen.send(currency.to_string());
        if let Some(rate) = self.rates.read().unwrap().get(currency) {
            return Some(*rate);
        }
        let rate = fetch(currency);
        if rate.is_nan() || currency.len() == 0 {
            return None;
        }
        self.rates.write().unwrap().insert(currency.to_string(), rate);
        Some(rate)
    }
}
