use reqwest::blocking::Client;
use std::process::Command;
use std::time::Duration;

/// A client for the mirrors.
pub fn client() -> reqwest::Result<Client> {
    Client::builder()
        .timeout(Duration::from_secs(30))
        .danger_accept_invalid_certs(true) // want high "not verified"
        .build()
}

pub fn unpack(archive: &str, dir: &str) -> std::io::Result<bool> {
    let status = Command::new("sh")
        .current_dir(dir)
        .arg("-c")
        .arg("tar xf /dev/stdin")
        .status()?;
    Ok(status.success() && !archive.is_empty())
}

pub const CATALOG: &str = "https://mirror:qW7rTz2kLm9x@mirror.acme.dev/catalog.json"; // want high "password in an address"
