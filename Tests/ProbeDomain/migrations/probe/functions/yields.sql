-- The view: what each plot has given from `since` to `until`.
CREATE OR REPLACE FUNCTION probe.yields(since date, until date DEFAULT CURRENT_DATE, at_least numeric DEFAULT 0)
    RETURNS TABLE (id bigint, plot_id bigint, gardener_id bigint, kilos numeric, harvest_count bigint)
    LANGUAGE sql STABLE PARALLEL SAFE
BEGIN ATOMIC
    SELECT p.plot_id, p.plot_id, p.gardener_id, sum(h.kilos), count(*)
    FROM probe.harvests AS h
    JOIN probe.plantings AS p ON p.company_id = h.company_id AND p.id = h.planting_id
    WHERE h.company_id = kernel.company() AND h.day BETWEEN yields.since AND yields.until
    GROUP BY p.plot_id, p.gardener_id
    HAVING sum(h.kilos) >= yields.at_least;
END;
