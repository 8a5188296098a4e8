//! Styles and links of the layout.
