// Drawings in SVG, read from memory without an address of their own, so that librsvg opens no file they refer to. As for Pango,
// the functions are declared here.
#pragma once

#include <cairo/cairo.h>
#include <stddef.h>

#include "pango.h"

#ifndef RSVG_H
typedef struct _RsvgHandle RsvgHandle;

typedef struct {
    double length;
    unsigned unit;
} RsvgLength;

typedef struct _RsvgRectangle {
    double x, y, width, height;
} RsvgRectangle;

typedef struct _GError GError;
#endif

RsvgHandle *rsvg_handle_new_from_data(const unsigned char *bytes, unsigned long length, GError **error);
void rsvg_handle_get_intrinsic_dimensions(
    RsvgHandle *handle, int *has_width, RsvgLength *width, int *has_height, RsvgLength *height, int *has_box,
    RsvgRectangle *box);
int rsvg_handle_render_document(RsvgHandle *handle, cairo_t *cairo, const RsvgRectangle *viewport, GError **error);

/// Null if the bytes are not an SVG document. Release it with crsvg_release.
static inline void *crsvg_read(const unsigned char *bytes, unsigned long length) {
    return rsvg_handle_new_from_data(bytes, length, NULL);
}

static inline void crsvg_release(void *handle) {
    g_object_unref(handle);
}

/// Width over height; zero if the drawing says neither its size nor its view box.
static inline double crsvg_aspect(void *handle) {
    int has_width, has_height, has_box;
    RsvgLength width, height;
    RsvgRectangle box;
    rsvg_handle_get_intrinsic_dimensions(handle, &has_width, &width, &has_height, &height, &has_box, &box);
    if (has_box && box.width > 0 && box.height > 0) return box.width / box.height;
    if (has_width && has_height && width.unit == height.unit && width.length > 0 && height.length > 0)
        return width.length / height.length;
    return 0;
}

/// Zero if the drawing cannot be drawn, at least not all of it.
static inline int crsvg_draw(void *handle, cairo_t *cairo, double x, double y, double width, double height) {
    RsvgRectangle viewport = {x, y, width, height};
    return rsvg_handle_render_document(handle, cairo, &viewport, NULL);
}
