-- The id that an earlier call of this transaction has answered; calls count from 0. Null if it has no answer.
CREATE OR REPLACE FUNCTION kernel.answered(call integer) RETURNS bigint
    LANGUAGE sql STABLE
    RETURN (nullif(current_setting('learntrack.answers', true), '')::jsonb ->> call)::bigint;

SELECT kernel.note_file('kernel', 'functions/answered.sql', '63f0319a91b1dd16');
