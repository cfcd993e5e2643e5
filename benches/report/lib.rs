//! Measurements of environments: throughput, game lengths, wins by seat; as data and as plots.
//!
//! | file | holds |
//! |---|---|
//! | `measure` | measuring an environment |
//! | `machine` | measuring a machine, for comparison with another |
//! | `data` | measurements as data: the content of `report.json` |
//! | `page` | the plots of a report, and their page |
//! | `program` | the program: `make report` |

mod data;
pub mod machine;
mod measure;
mod page;

pub use data::{Measured, Report, SeatResult, Throughput, parse};
pub use measure::{MeasurementPlan, measure};
pub use page::index;
