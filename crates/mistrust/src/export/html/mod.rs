//! The report for people: one HTML file that needs nothing else, neither network nor script. What it
//! says is put together in `page` and `exhibit`; how it looks is in the template and the style sheet.

mod contrast;
mod exhibit;
mod page;
mod plot;

pub(crate) use page::{ReportData, render};
