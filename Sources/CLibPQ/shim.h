// The C interface of the driver: libpq, and the Linux calls that the Glibc module leaves out.
#include <libpq-fe.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>

// libpq names the fields of an error by character macros, which Swift cannot import.
enum clibpq_field_code {
    CLIBPQ_SEVERITY = PG_DIAG_SEVERITY_NONLOCALIZED,
    CLIBPQ_SQLSTATE = PG_DIAG_SQLSTATE,
    CLIBPQ_MESSAGE = PG_DIAG_MESSAGE_PRIMARY,
    CLIBPQ_DETAIL = PG_DIAG_MESSAGE_DETAIL,
    CLIBPQ_HINT = PG_DIAG_MESSAGE_HINT,
    CLIBPQ_POSITION = PG_DIAG_STATEMENT_POSITION,
    CLIBPQ_SCHEMA = PG_DIAG_SCHEMA_NAME,
    CLIBPQ_TABLE = PG_DIAG_TABLE_NAME,
    CLIBPQ_COLUMN = PG_DIAG_COLUMN_NAME,
    CLIBPQ_CONSTRAINT = PG_DIAG_CONSTRAINT_NAME,
    CLIBPQ_CONTEXT = PG_DIAG_CONTEXT,
    CLIBPQ_ROUTINE = PG_DIAG_SOURCE_FUNCTION,
};

/// The field's text, or null. It is valid as long as the result.
static inline const char *clibpq_field(const PGresult *result, enum clibpq_field_code field) {
    return PQresultErrorField(result, (int)field);
}
