//! Pictures of results, as PNG files.
//!
//! The font is part of the program, so that a picture looks alike on every machine and needs none of its libraries.

mod canvas;
mod colour;
mod field;
mod mosaic;
mod reduce;

pub use colour::{Limits, of_pe, ticks, viridis};
pub use field::{Field, field_png};
pub use mosaic::{Mosaic, image_png};
pub use reduce::{Reduced, area_average};

pub use canvas::Rgb;
