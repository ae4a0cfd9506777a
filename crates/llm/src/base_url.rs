//! The address of an OpenAI-compatible service, checked before anything is sent to it.

/// An address that is safe to use.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BaseUrl {
    origin: String,
    host: String,
    path: String,
}

impl BaseUrl {
    /// Scheme, host and port: `https://api.example` or `http://localhost:8080`.
    #[must_use]
    pub fn origin(&self) -> &str {
        &self.origin
    }

    /// In lower case, without port; an IPv6 address in brackets.
    #[must_use]
    pub fn host(&self) -> &str {
        &self.host
    }
}

impl std::fmt::Display for BaseUrl {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}{}", self.origin, self.path)
    }
}

/// Why an address is not usable.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BaseUrlError {
    /// Nothing is there.
    #[error("no address is given")]
    Empty,
}

/// Checks an address and brings it into one form.
///
/// # Errors
/// [`BaseUrlError`], with the reason in its text.
pub fn check_base_url(_text: &str) -> Result<BaseUrl, BaseUrlError> {
    unimplemented!()
}
