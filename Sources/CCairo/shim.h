// Cairo with its PDF surface.
#include <cairo-pdf.h>
#include <cairo.h>
