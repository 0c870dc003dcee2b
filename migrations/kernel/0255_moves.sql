-- Companies that move to another installation, and those that have moved: learntrack companies move.
--
-- `leaving`: calls go on here while rows are copied. `moved`: the company is suspended here, and servers answer with the address of
-- the other installation. `arriving`: the copy there, in which nobody writes yet.
--
-- Safe from: 1.0.0
-- Locks: kernel.companies against everything, for a moment

SELECT kernel.company_lock('ACCESS EXCLUSIVE', 'kernel.companies');

ALTER TABLE kernel.companies
    ADD COLUMN move text CONSTRAINT companies_move_check CHECK (move IN ('leaving', 'moved', 'arriving')),
    ADD COLUMN move_to text,
    ADD COLUMN move_id uuid,
    ADD COLUMN move_at timestamptz,
    ADD CONSTRAINT companies_moving_check CHECK (
        CASE WHEN move IS NULL THEN num_nonnulls(move_to, move_at) = 0
            ELSE num_nulls(move_id, move_at) = 0 AND (move = 'arriving') = (move_to IS NULL) END),
    -- Nobody may write on here what the other installation does not get.
    ADD CONSTRAINT companies_moved_check CHECK (move <> 'moved' OR suspended_at IS NOT NULL);
COMMENT ON COLUMN kernel.companies.move IS 'how far a move to or from another installation is; null: there is none';
COMMENT ON COLUMN kernel.companies.move_to IS 'the public address of the server that the company moves to';
COMMENT ON COLUMN kernel.companies.move_id IS
    'of the move, the same in both installations; where it has arrived, of the one by which it did';
COMMENT ON COLUMN kernel.companies.move_at IS 'when the move began; once it has moved, when that was';

INSERT INTO kernel.migrations (domain, name) VALUES ('kernel', '0255_moves.sql') ON CONFLICT DO NOTHING;
