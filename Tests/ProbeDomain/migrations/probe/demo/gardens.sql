-- Demo data: two gardeners with their plots. Does nothing when the domain holds data.
DO $demo$
BEGIN
    IF EXISTS (SELECT FROM probe.gardeners) THEN
        RETURN;
    END IF;
    INSERT INTO probe.gardeners (name, email) VALUES
        ('Ana Ruiz', 'ana@jardins.example'), ('Bao Nguyen', 'bao@jardins.example');
    INSERT INTO probe.crops (code, name) VALUES ('tomate', 'Tomate'), ('haricot', 'Haricot'), ('courge', 'Courge');
    INSERT INTO probe.plots (gardener_id, number, name)
    SELECT g.id, 10 * row_number() OVER (ORDER BY g.name), 'Le carré de ' || split_part(g.name, ' ', 1)
    FROM probe.gardeners AS g;
END
$demo$;
