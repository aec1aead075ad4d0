//! A configuration profile for iPhones, iPads and Macs that holds the lab's CA. Pure.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use super::lab_ca::LabCa;

/// The profile in XML. Its identifiers follow from the CA, so that installing it twice replaces it.
pub(super) fn mobileconfig(ca: &LabCa, der: &[u8]) -> String {
    let (name, certificate) = (escaped(&ca.name), STANDARD.encode(der));
    let (outer, inner) = (uuid(&ca.serial, '8'), uuid(&ca.serial, '9'));
    format!(
        r#"<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
<dict>
  <key>PayloadContent</key>
  <array>
    <dict>
      <key>PayloadCertificateFileName</key>
      <string>lab-ca.cer</string>
      <key>PayloadContent</key>
      <data>{certificate}</data>
      <key>PayloadDisplayName</key>
      <string>{name}</string>
      <key>PayloadIdentifier</key>
      <string>yunlab.lab-ca.{inner}</string>
      <key>PayloadType</key>
      <string>com.apple.security.root</string>
      <key>PayloadUUID</key>
      <string>{inner}</string>
      <key>PayloadVersion</key>
      <integer>1</integer>
    </dict>
  </array>
  <key>PayloadDisplayName</key>
  <string>{name}</string>
  <key>PayloadIdentifier</key>
  <string>yunlab.lab-ca</string>
  <key>PayloadType</key>
  <string>Configuration</string>
  <key>PayloadUUID</key>
  <string>{outer}</string>
  <key>PayloadVersion</key>
  <integer>1</integer>
</dict>
</plist>
"#
    )
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

/// A UUID made of the serial number; `mark` distinguishes the places where it is used.
fn uuid(serial: &str, mark: char) -> String {
    let hex: String = serial.chars().chain(std::iter::repeat('0')).take(32).collect();
    let part = |from: usize, to: usize| hex.chars().skip(from).take(to - from).collect::<String>();
    format!("{}-{}-4{}-{mark}{}-{}", part(0, 8), part(8, 12), part(13, 16), part(17, 20), part(20, 32)).to_uppercase()
}

#[cfg(test)]
mod tests {
    use kernel::Timestamp;

    use super::*;

    #[test]
    fn a_profile_holds_the_certificate_and_no_markup_of_a_name() {
        let ca = LabCa {
            serial: "4f0102030405060708090a0b0c0d0e0f".to_owned(),
            name: "A & <B>".to_owned(),
            names: Vec::new(),
            certificate: String::new(),
            fingerprint: String::new(),
            not_after: Timestamp::from_millis(0),
        };
        let text = mobileconfig(&ca, b"der");
        assert!(text.contains("<data>ZGVy</data>") && text.contains("A &amp; &lt;B&gt;"), "{text}");
        assert!(text.contains("4F010203-0405-4607-8809-0A0B0C0D0E0F"), "{text}");
    }
}
