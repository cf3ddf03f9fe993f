//! The HTML report: one self-contained file, without network access or scripts. `page` and `exhibit` prepare the data;
//! the template and the style sheet define the layout.

mod contrast;
mod exhibit;
mod growth;
mod page;
mod plot;

pub(crate) use page::{ReportData, render};
