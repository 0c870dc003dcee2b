// Cairo with its PDF surface, Pango on cairo, and librsvg. The program is linked with none of them: with what they need, they
// are 43 libraries, which take 8 MB of each process. They are loaded before the first document is written.
#pragma once

#include <cairo/cairo-pdf.h>
#include <cairo/cairo.h>

#include "outlines.h"
#include "pango.h"
#include "rsvg.h"

/// Loads the libraries. No other function may be called before it has succeeded. Calls must not overlap.
/// Returns null, or a sentence that says which library or function is missing and which package of Debian has it.
const char *cdrawing_load(void);
