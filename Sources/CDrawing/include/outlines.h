// The fonts that have outlines. Fonts of coloured pictures, as those of emoji, are drawn as pictures into a PDF: nobody can search or
// copy them. As for Pango, the functions are declared here.
#pragma once

#include <stddef.h>

#include "pango.h"

#ifndef _FONTCONFIG_H_
typedef struct _FcConfig FcConfig;
#endif
#ifndef __PANGO_FC_FONT_MAP_H__
typedef struct _PangoFcFontMap PangoFcFontMap;
#endif

int FcConfigBuildFonts(FcConfig *config);
FcConfig *FcConfigCreate(void);
void FcConfigDestroy(FcConfig *config);
int FcConfigParseAndLoad(FcConfig *config, const unsigned char *file, int complains);
int FcConfigParseAndLoadFromMemory(FcConfig *config, const unsigned char *text, int complains);
void pango_fc_font_map_set_config(PangoFcFontMap *map, FcConfig *config);

/// The installed fonts without those of coloured pictures; null if they cannot be read. It may be used on all threads, and lives as
/// long as the program.
static inline FcConfig *coutlines_fonts(void) {
    static const char rule[] = "<?xml version=\"1.0\"?><fontconfig><selectfont><rejectfont><pattern>"
                               "<patelt name=\"color\"><bool>true</bool></patelt>"
                               "</pattern></rejectfont></selectfont></fontconfig>";
    FcConfig *config = FcConfigCreate();
    if (!config) return NULL;
    // The rule must be known before the fonts are looked for.
    if (FcConfigParseAndLoad(config, NULL, 0) && FcConfigParseAndLoadFromMemory(config, (const unsigned char *)rule, 0)
        && FcConfigBuildFonts(config))
        return config;
    FcConfigDestroy(config);
    return NULL;
}

/// A context with a font map of its own, so that documents on different threads share none. Release it with cpango_release.
///
/// fonts: null for all installed fonts.
static inline PangoContext *coutlines_context(cairo_t *cairo, const char *language, FcConfig *fonts) {
    PangoFontMap *map = pango_cairo_font_map_new();
    if (fonts) pango_fc_font_map_set_config((PangoFcFontMap *)map, fonts);
    PangoContext *context = pango_font_map_create_context(map);
    g_object_unref(map);
    pango_cairo_update_context(cairo, context);
    pango_context_set_language(context, pango_language_from_string(language));
    pango_context_set_base_dir(context, PANGO_DIRECTION_LTR);
    pango_context_set_round_glyph_positions(context, 0);
    return context;
}
