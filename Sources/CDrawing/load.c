#include "CDrawing.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

// Each function that the headers declare is defined here, under its own name, and calls that of the library. The compiler
// compares both with the declaration. Hidden, it does not stand in for the library's function in other libraries.

#define CAIRO(F)                                                                                                               \
    F(void, cairo_clip, (cairo_t * cairo), (cairo))                                                                            \
    F(cairo_t *, cairo_create, (cairo_surface_t * target), (target))                                                           \
    F(void, cairo_destroy, (cairo_t * cairo), (cairo))                                                                         \
    F(void, cairo_fill, (cairo_t * cairo), (cairo))                                                                            \
    F(cairo_pattern_t *, cairo_get_source, (cairo_t * cairo), (cairo))                                                         \
    F(cairo_surface_t *, cairo_image_surface_create, (cairo_format_t format, int width, int height), (format, width, height))  \
    F(cairo_surface_t *, cairo_image_surface_create_from_png_stream, (cairo_read_func_t read, void *context), (read, context)) \
    F(int, cairo_image_surface_get_height, (cairo_surface_t * surface), (surface))                                             \
    F(int, cairo_image_surface_get_width, (cairo_surface_t * surface), (surface))                                              \
    F(void, cairo_line_to, (cairo_t * cairo, double x, double y), (cairo, x, y))                                               \
    F(void, cairo_move_to, (cairo_t * cairo, double x, double y), (cairo, x, y))                                               \
    F(void, cairo_new_path, (cairo_t * cairo), (cairo))                                                                        \
    F(void, cairo_paint, (cairo_t * cairo), (cairo))                                                                           \
    F(void, cairo_pattern_set_filter, (cairo_pattern_t * pattern, cairo_filter_t filter), (pattern, filter))                   \
    F(cairo_surface_t *, cairo_pdf_surface_create_for_stream,                                                                  \
      (cairo_write_func_t write, void *context, double width, double height), (write, context, width, height))                 \
    F(void, cairo_pdf_surface_restrict_to_version, (cairo_surface_t * surface, cairo_pdf_version_t version),                   \
      (surface, version))                                                                                                      \
    F(void, cairo_pdf_surface_set_metadata, (cairo_surface_t * surface, cairo_pdf_metadata_t name, const char *value),         \
      (surface, name, value))                                                                                                  \
    F(void, cairo_rectangle, (cairo_t * cairo, double x, double y, double width, double height), (cairo, x, y, width, height)) \
    F(void, cairo_restore, (cairo_t * cairo), (cairo))                                                                         \
    F(void, cairo_save, (cairo_t * cairo), (cairo))                                                                            \
    F(void, cairo_scale, (cairo_t * cairo, double x, double y), (cairo, x, y))                                                 \
    F(void, cairo_set_line_cap, (cairo_t * cairo, cairo_line_cap_t cap), (cairo, cap))                                         \
    F(void, cairo_set_line_join, (cairo_t * cairo, cairo_line_join_t join), (cairo, join))                                     \
    F(void, cairo_set_line_width, (cairo_t * cairo, double width), (cairo, width))                                             \
    F(void, cairo_set_source_rgb, (cairo_t * cairo, double red, double green, double blue), (cairo, red, green, blue))         \
    F(void, cairo_set_source_surface, (cairo_t * cairo, cairo_surface_t * surface, double x, double y),                        \
      (cairo, surface, x, y))                                                                                                  \
    F(void, cairo_show_page, (cairo_t * cairo), (cairo))                                                                       \
    F(cairo_status_t, cairo_status, (cairo_t * cairo), (cairo))                                                                \
    F(const char *, cairo_status_to_string, (cairo_status_t status), (status))                                                 \
    F(void, cairo_stroke, (cairo_t * cairo), (cairo))                                                                          \
    F(void, cairo_surface_destroy, (cairo_surface_t * surface), (surface))                                                     \
    F(void, cairo_surface_finish, (cairo_surface_t * surface), (surface))                                                      \
    F(cairo_status_t, cairo_surface_status, (cairo_surface_t * surface), (surface))                                            \
    F(cairo_status_t, cairo_surface_write_to_png_stream,                                                                       \
      (cairo_surface_t * surface, cairo_write_func_t write, void *context), (surface, write, context))                         \
    F(void, cairo_tag_begin, (cairo_t * cairo, const char *name, const char *attributes), (cairo, name, attributes))           \
    F(void, cairo_tag_end, (cairo_t * cairo, const char *name), (cairo, name))                                                 \
    F(void, cairo_translate, (cairo_t * cairo, double x, double y), (cairo, x, y))

#define FONTCONFIG(F)                                                                                                          \
    F(int, FcConfigBuildFonts, (FcConfig * config), (config))                                                                  \
    F(FcConfig *, FcConfigCreate, (void), ())                                                                                  \
    F(void, FcConfigDestroy, (FcConfig * config), (config))                                                                    \
    F(int, FcConfigParseAndLoad, (FcConfig * config, const unsigned char *file, int complains), (config, file, complains))     \
    F(int, FcConfigParseAndLoadFromMemory, (FcConfig * config, const unsigned char *text, int complains),                      \
      (config, text, complains))

#define GOBJECT(F) F(void, g_object_unref, (void *object), (object))

#define PANGO(F)                                                                                                               \
    F(PangoAttribute *, pango_attr_family_new, (const char *family), (family))                                                 \
    F(PangoAttribute *, pango_attr_font_features_new, (const char *features), (features))                                      \
    F(PangoAttribute *, pango_attr_foreground_new, (uint16_t red, uint16_t green, uint16_t blue), (red, green, blue))          \
    F(PangoAttribute *, pango_attr_insert_hyphens_new, (int inserts_hyphens), (inserts_hyphens))                               \
    F(void, pango_attr_list_insert, (PangoAttrList * list, PangoAttribute * attribute), (list, attribute))                     \
    F(PangoAttrList *, pango_attr_list_new, (void), ())                                                                        \
    F(void, pango_attr_list_unref, (PangoAttrList * list), (list))                                                             \
    F(PangoAttribute *, pango_attr_size_new_absolute, (int size), (size))                                                      \
    F(PangoAttribute *, pango_attr_weight_new, (PangoWeight weight), (weight))                                                 \
    F(void, pango_context_set_base_dir, (PangoContext * context, PangoDirection direction), (context, direction))              \
    F(void, pango_context_set_language, (PangoContext * context, PangoLanguage * language), (context, language))               \
    F(void, pango_context_set_round_glyph_positions, (PangoContext * context, int is_rounded), (context, is_rounded))          \
    F(PangoContext *, pango_font_map_create_context, (PangoFontMap * map), (map))                                              \
    F(PangoLanguage *, pango_language_from_string, (const char *language), (language))                                         \
    F(int, pango_layout_get_line_count, (PangoLayout * layout), (layout))                                                      \
    F(int, pango_layout_get_unknown_glyphs_count, (PangoLayout * layout), (layout))                                            \
    F(PangoLayoutLine *, pango_layout_get_line_readonly, (PangoLayout * layout, int index), (layout, index))                   \
    F(void, pango_layout_line_get_extents, (PangoLayoutLine * line, PangoRectangle * ink, PangoRectangle * logical),           \
      (line, ink, logical))                                                                                                    \
    F(PangoLayout *, pango_layout_new, (PangoContext * context), (context))                                                    \
    F(void, pango_layout_set_attributes, (PangoLayout * layout, PangoAttrList * attributes), (layout, attributes))             \
    F(void, pango_layout_set_auto_dir, (PangoLayout * layout, int is_automatic), (layout, is_automatic))                       \
    F(void, pango_layout_set_ellipsize, (PangoLayout * layout, PangoEllipsizeMode mode), (layout, mode))                       \
    F(void, pango_layout_set_text, (PangoLayout * layout, const char *text, int length), (layout, text, length))               \
    F(void, pango_layout_set_width, (PangoLayout * layout, int width), (layout, width))                                        \
    F(void, pango_layout_set_wrap, (PangoLayout * layout, PangoWrapMode mode), (layout, mode))

#define PANGOCAIRO(F)                                                                                                          \
    F(PangoFontMap *, pango_cairo_font_map_new, (void), ())                                                                    \
    F(void, pango_cairo_show_layout_line, (cairo_t * cairo, PangoLayoutLine * line), (cairo, line))                            \
    F(void, pango_cairo_update_context, (cairo_t * cairo, PangoContext * context), (cairo, context))

#define PANGOFT2(F)                                                                                                            \
    F(void, pango_fc_font_map_set_config, (PangoFcFontMap * map, FcConfig * config), (map, config))

#define RSVG(F)                                                                                                                \
    F(void, rsvg_handle_get_intrinsic_dimensions,                                                                              \
      (RsvgHandle * handle, int *has_width, RsvgLength *width, int *has_height, RsvgLength *height, int *has_box,              \
       RsvgRectangle *box),                                                                                                    \
      (handle, has_width, width, has_height, height, has_box, box))                                                            \
    F(RsvgHandle *, rsvg_handle_new_from_data, (const unsigned char *bytes, unsigned long length, GError **error),             \
      (bytes, length, error))                                                                                                  \
    F(int, rsvg_handle_render_document,                                                                                        \
      (RsvgHandle * handle, cairo_t * cairo, const RsvgRectangle *viewport, GError **error), (handle, cairo, viewport, error))

#define DEFINITION(result, name, parameters, arguments)                                                                        \
    static __typeof__(name) *loaded_##name;                                                                                    \
    __attribute__((visibility("hidden"))) result name parameters {                                                             \
        return loaded_##name arguments;                                                                                        \
    }

CAIRO(DEFINITION)
FONTCONFIG(DEFINITION)
GOBJECT(DEFINITION)
PANGO(DEFINITION)
PANGOCAIRO(DEFINITION)
PANGOFT2(DEFINITION)
RSVG(DEFINITION)

typedef struct {
    const char *name;
    void **loaded;
} function;

#define ENTRY(result, name, parameters, arguments) {#name, (void **)&loaded_##name},

static const function cairo_functions[] = {CAIRO(ENTRY) {NULL, NULL}};
static const function fontconfig_functions[] = {FONTCONFIG(ENTRY) {NULL, NULL}};
static const function gobject_functions[] = {GOBJECT(ENTRY) {NULL, NULL}};
static const function pango_functions[] = {PANGO(ENTRY) {NULL, NULL}};
static const function pangocairo_functions[] = {PANGOCAIRO(ENTRY) {NULL, NULL}};
static const function pangoft2_functions[] = {PANGOFT2(ENTRY) {NULL, NULL}};
static const function rsvg_functions[] = {RSVG(ENTRY) {NULL, NULL}};

static const struct {
    const char *file, *package;
    const function *functions;
} libraries[] = {
    {"libcairo.so.2", "libcairo2", cairo_functions},
    {"libfontconfig.so.1", "libfontconfig1", fontconfig_functions},
    {"libgobject-2.0.so.0", "libglib2.0-0", gobject_functions},
    {"libpango-1.0.so.0", "libpango-1.0-0", pango_functions},
    {"libpangocairo-1.0.so.0", "libpangocairo-1.0-0", pangocairo_functions},
    {"libpangoft2-1.0.so.0", "libpangoft2-1.0-0", pangoft2_functions},
    {"librsvg-2.so.2", "librsvg2-2", rsvg_functions},
};

const char *cdrawing_load(void) {
    static char problem[512];
    for (size_t index = 0; index < sizeof libraries / sizeof libraries[0]; index += 1) {
        void *library = dlopen(libraries[index].file, RTLD_NOW | RTLD_LOCAL);
        const char *missing = library ? NULL : dlerror();
        for (const function *entry = libraries[index].functions; library && !missing && entry->name; entry += 1) {
            *entry->loaded = dlsym(library, entry->name);
            if (!*entry->loaded) missing = dlerror();
        }
        // The library stays loaded as long as the program runs: GLib cannot be unloaded.
        if (missing) {
            snprintf(
                problem, sizeof problem, "%s; the Debian package %s has the library %s", missing,
                libraries[index].package, libraries[index].file);
            return problem;
        }
    }
    return NULL;
}
