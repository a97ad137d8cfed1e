// Sizes that several layers of a drawing share.

export const LEGIBLE = 9; // pixels of the smallest text on the screen
export const SIZES = { name: 13, small: 12 }; // of texts in the drawing, in its units
export const HEADING = 22; // height of the name above the bars in pixels
export const BARS_FROM = LEGIBLE / HEADING; // minimum scale for bars: their node then has room for its name above them
export const MOST_ANIMATED = 300; // more nodes move without animation
export const MOST_REDRAWN = 100; // more nodes are a picture while the user zooms or pans
