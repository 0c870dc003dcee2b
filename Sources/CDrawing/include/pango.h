// The part of Pango that documents need. Its own headers are found through pkg-config only, whose flags would also link the
// program with it. If they are included first, this file declares only the functions, and the compiler compares them.
#pragma once

#include <cairo/cairo.h>
#include <math.h>
#include <stdint.h>

#ifndef __PANGO_H__
typedef struct _PangoAttrList PangoAttrList;
typedef struct _PangoContext PangoContext;
typedef struct _PangoFontMap PangoFontMap;
typedef struct _PangoLanguage PangoLanguage;
typedef struct _PangoLayout PangoLayout;
typedef struct _PangoLayoutLine PangoLayoutLine;

typedef struct _PangoAttribute {
    const void *klass;
    unsigned start_index, end_index;
} PangoAttribute;

typedef struct _PangoRectangle {
    int x, y, width, height;
} PangoRectangle;

typedef enum { PANGO_DIRECTION_LTR } PangoDirection;
typedef enum { PANGO_WRAP_WORD_CHAR = 2 } PangoWrapMode;
typedef enum { PANGO_ELLIPSIZE_END = 3 } PangoEllipsizeMode;
typedef enum { PANGO_WEIGHT_NORMAL = 400, PANGO_WEIGHT_BOLD = 700 } PangoWeight;
enum { PANGO_SCALE = 1024 };
#endif

void g_object_unref(void *object);

PangoFontMap *pango_cairo_font_map_new(void);
PangoContext *pango_font_map_create_context(PangoFontMap *map);
void pango_cairo_update_context(cairo_t *cairo, PangoContext *context);
void pango_context_set_base_dir(PangoContext *context, PangoDirection direction);
void pango_context_set_language(PangoContext *context, PangoLanguage *language);
void pango_context_set_round_glyph_positions(PangoContext *context, int is_rounded);
PangoLanguage *pango_language_from_string(const char *language);

PangoLayout *pango_layout_new(PangoContext *context);
void pango_layout_set_attributes(PangoLayout *layout, PangoAttrList *attributes);
void pango_layout_set_auto_dir(PangoLayout *layout, int is_automatic);
void pango_layout_set_ellipsize(PangoLayout *layout, PangoEllipsizeMode mode);
void pango_layout_set_text(PangoLayout *layout, const char *text, int length);
void pango_layout_set_width(PangoLayout *layout, int width);
void pango_layout_set_wrap(PangoLayout *layout, PangoWrapMode mode);
int pango_layout_get_line_count(PangoLayout *layout);
int pango_layout_get_unknown_glyphs_count(PangoLayout *layout);
PangoLayoutLine *pango_layout_get_line_readonly(PangoLayout *layout, int index);
void pango_layout_line_get_extents(PangoLayoutLine *line, PangoRectangle *ink, PangoRectangle *logical);
void pango_cairo_show_layout_line(cairo_t *cairo, PangoLayoutLine *line);

PangoAttrList *pango_attr_list_new(void);
void pango_attr_list_insert(PangoAttrList *list, PangoAttribute *attribute);
void pango_attr_list_unref(PangoAttrList *list);
PangoAttribute *pango_attr_family_new(const char *family);
PangoAttribute *pango_attr_font_features_new(const char *features);
PangoAttribute *pango_attr_foreground_new(uint16_t red, uint16_t green, uint16_t blue);
PangoAttribute *pango_attr_insert_hyphens_new(int inserts_hyphens);
PangoAttribute *pango_attr_size_new_absolute(int size);
PangoAttribute *pango_attr_weight_new(PangoWeight weight);

/// Of a line, in points: what its fonts ask for, and what its glyphs cover. Ascents and descents are distances from the
/// baseline; left and right are those from the line's origin.
typedef struct cpango_extents {
    double ascent, descent, width;
    double ink_ascent, ink_descent, left, right;
} cpango_extents;

static inline void cpango_release(void *object) {
    g_object_unref(object);
}

/// A layout of UTF-8 text that breaks between words, and within a word that is wider than the line. Release it with
/// cpango_release.
static inline PangoLayout *cpango_layout(
    PangoContext *context, const char *text, int length, double width, PangoAttrList *attributes) {
    PangoLayout *layout = pango_layout_new(context);
    pango_layout_set_auto_dir(layout, 0);
    pango_layout_set_wrap(layout, PANGO_WRAP_WORD_CHAR);
    pango_layout_set_width(layout, (int)(width * PANGO_SCALE));
    pango_layout_set_text(layout, text, length);
    pango_layout_set_attributes(layout, attributes);
    return layout;
}

static inline cpango_extents cpango_line_extents(PangoLayout *layout, int index) {
    PangoRectangle ink, logical;
    pango_layout_line_get_extents(pango_layout_get_line_readonly(layout, index), &ink, &logical);
    double scale = PANGO_SCALE;
    cpango_extents extents = {
        .ascent = -logical.y / scale,
        .descent = (logical.y + logical.height) / scale,
        .width = logical.width / scale,
        .ink_ascent = -ink.y / scale,
        .ink_descent = (ink.y + ink.height) / scale,
        .left = fmin(0, ink.x) / scale,
        .right = fmax(logical.x + logical.width, ink.x + ink.width) / scale,
    };
    return extents;
}

static inline void cpango_show_line(cairo_t *cairo, PangoLayout *layout, int index) {
    pango_cairo_show_layout_line(cairo, pango_layout_get_line_readonly(layout, index));
}

/// The attributes of a whole text: a font of an absolute size, no hyphens where a word is broken, and no ligatures, which
/// readers of the text would get as one character.
static inline PangoAttrList *cpango_attributes(const char *family, double size) {
    PangoAttrList *list = pango_attr_list_new();
    pango_attr_list_insert(list, pango_attr_family_new(family));
    pango_attr_list_insert(list, pango_attr_size_new_absolute((int)(size * PANGO_SCALE)));
    pango_attr_list_insert(list, pango_attr_insert_hyphens_new(0));
    pango_attr_list_insert(list, pango_attr_font_features_new("liga=0"));
    return list;
}

static inline void cpango_insert(PangoAttrList *list, PangoAttribute *attribute, unsigned start, unsigned end) {
    attribute->start_index = start;
    attribute->end_index = end;
    pango_attr_list_insert(list, attribute);
}

/// The weight and the colour of a range of bytes.
static inline void cpango_style(
    PangoAttrList *list, unsigned start, unsigned end, int bold, double red, double green, double blue) {
    cpango_insert(list, pango_attr_weight_new(bold ? PANGO_WEIGHT_BOLD : PANGO_WEIGHT_NORMAL), start, end);
    cpango_insert(
        list, pango_attr_foreground_new((uint16_t)(red * 65535), (uint16_t)(green * 65535), (uint16_t)(blue * 65535)),
        start, end);
}
