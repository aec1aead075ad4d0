//! Failures of connections to a channel's server, in words for administrators.

use std::error::Error;
use std::io;
use std::net::SocketAddr;

use rustls::CertificateError;

/// Addresses of a name that are shown.
const SHOWN: usize = 3;

/// The addresses that a name resolves to, in words.
pub(crate) fn resolved(host: &str, addresses: &[SocketAddr]) -> String {
    let shown: Vec<String> = addresses.iter().take(SHOWN).map(|address| address.ip().to_string()).collect();
    format!("{host} 是 {}", shown.join("、"))
}

/// An error and its causes, the outermost first.
pub(crate) fn causes<'a>(error: &'a (dyn Error + 'static)) -> impl Iterator<Item = &'a (dyn Error + 'static)> {
    std::iter::successors(Some(error), |&cause| Error::source(cause))
}

/// The TLS error in a cause. I/O errors hide their inner errors, nested ones too.
pub(crate) fn tls_of<'a>(cause: &'a (dyn Error + 'static)) -> Option<&'a rustls::Error> {
    cause.downcast_ref().or_else(|| tls_of(cause.downcast_ref::<io::Error>()?.get_ref()?))
}

/// The fault of a server's certificate; `None` if the error is another one.
pub(crate) fn certificate(error: &rustls::Error) -> Option<String> {
    let rustls::Error::InvalidCertificate(why) = error else { return None };
    Some(match why {
        CertificateError::UnknownIssuer | CertificateError::BadSignature => {
            "不信任对方的证书：请把签发它的 CA 加到门户所在机器的系统证书里".to_owned()
        }
        CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. } => {
            "对方的证书不是给这个主机名的".to_owned()
        }
        CertificateError::Expired | CertificateError::ExpiredContext { .. } => "对方的证书已过期".to_owned(),
        other => format!("对方的证书不能用：{other}"),
    })
}
