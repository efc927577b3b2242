//! The data point that the Worker writes for each request, and that operators query: its columns, in their order.

/// The Worker's binding of the dataset in Workers Analytics Engine.
pub const BINDING: &str = "TRAFFIC";

/// The texts of a data point. The route is a path's pattern, never the path itself; the code is a refusal's.
pub const BLOBS: [&str; 4] = ["route", "method", "status", "code"];

/// The numbers of a data point.
pub const DOUBLES: [&str; 3] = ["duration_ms", "d1_rows_read", "d1_rows_written"];

/// Returns the name that a column has in SQL, or `None` if there is no such column.
pub fn column(name: &str) -> Option<String> {
    let place = |names: &[&str]| names.iter().position(|other| *other == name).map(|index| index + 1);
    let blob = place(&BLOBS).map(|number| format!("blob{number}"));
    blob.or_else(|| place(&DOUBLES).map(|number| format!("double{number}")))
}

#[cfg(test)]
mod tests {
    use super::column;

    #[test]
    fn columns_are_numbered_from_one_by_their_kind() {
        assert_eq!(column("route").as_deref(), Some("blob1"));
        assert_eq!(column("d1_rows_read").as_deref(), Some("double2"));
        assert_eq!(column("path"), None);
    }
}
