//! The address of the login page for a terminal, as a QR code and as text.

use qrcode::QrCode;
use qrcode::render::unicode::Dense1x2;

/// Returns the address as a QR code of half blocks and, below it, as text. The blocks
/// are the light squares and the border, so that the code is right on dark terminals; most cameras
/// also read the inverted code of light ones. An address that is too long for a QR code is only
/// text.
pub fn login_text(address: &str) -> String {
    let Ok(code) = QrCode::new(address) else { return format!("{address}\n") };
    let picture = code
        .render::<Dense1x2>()
        // The names are those of a terminal with dark text: blocks are the light squares here.
        .dark_color(Dense1x2::Light)
        .light_color(Dense1x2::Dark)
        .quiet_zone(true)
        .build();
    format!("{picture}\n\n{address}\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Draws the half blocks as a picture with `scale` pixels for each square.
    fn read(text: &str) -> String {
        let scale = 4;
        let rows: Vec<Vec<char>> = text
            .lines()
            .take_while(|line| !line.is_empty())
            .map(|line| line.chars().collect())
            .collect();
        let is_light = |x: usize, y: usize| match rows[y / 2][x] {
            '█' => true,
            '▀' => y.is_multiple_of(2),
            '▄' => !y.is_multiple_of(2),
            ' ' => false,
            other => panic!("{other:?} is no half block"),
        };
        let (width, height) = (rows[0].len() * scale, rows.len() * 2 * scale);
        let mut picture = rqrr::PreparedImage::prepare_from_greyscale(width, height, |x, y| {
            if is_light(x / scale, y / scale) { 255 } else { 0 }
        });
        let grids = picture.detect_grids();
        assert_eq!(grids.len(), 1, "{text}");
        grids[0].decode().unwrap().1
    }

    #[test]
    fn the_code_contains_the_address() {
        let address = "https://work.example:8443/login#0123456789abcdefABCDEF";
        let text = login_text(address);
        assert_eq!(read(&text), address);
        assert!(text.ends_with(&format!("\n\n{address}\n")), "{text}");
        assert!(text.lines().all(|line| line.chars().count() < 60), "{text}");
    }

    #[test]
    fn a_long_address_is_only_text() {
        let address = "x".repeat(10_000);
        assert_eq!(login_text(&address), format!("{address}\n"));
    }
}
