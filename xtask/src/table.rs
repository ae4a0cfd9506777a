//! Tables on the terminal.

/// Rows with aligned columns; the first row has the headings.
pub fn lines<const N: usize>(rows: &[[String; N]]) -> Vec<String> {
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or_default();
    let widths: [usize; N] = std::array::from_fn(width);
    rows.iter()
        .map(|row| {
            let cells = row.iter().zip(widths).map(|(cell, width)| format!("{cell:<width$}"));
            format!("  {}", cells.collect::<Vec<_>>().join("  ")).trim_end().to_owned()
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_aligned_by_characters() {
        let rows = [["a", "b"], ["中文", "c"], ["longer", "d"]].map(|row| row.map(str::to_owned));
        assert_eq!(lines(&rows), ["  a       b", "  中文      c", "  longer  d"]);
    }
}
