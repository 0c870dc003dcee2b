import CDrawing

extension Canvas {
    /// Draws within a rectangle if one is given.
    func clipped(_ area: (x: Double, y: Double, width: Double, height: Double)?, _ draw: () -> Void) {
        guard let area else { return draw() }
        cairo_save(cairo)
        cairo_rectangle(cairo, area.x, area.y, area.width, area.height)
        cairo_clip(cairo)
        draw()
        cairo_restore(cairo)
    }

    /// Draws with the origin at a point of the page.
    func show(at x: Double, _ y: Double, scale: Double, _ draw: (OpaquePointer) -> Void) {
        cairo_save(cairo)
        cairo_translate(cairo, x, y)
        if scale != 1 { cairo_scale(cairo, scale, scale) }
        cairo_move_to(cairo, 0, 0)
        draw(cairo)
        cairo_restore(cairo)
        cairo_new_path(cairo)
    }
}
