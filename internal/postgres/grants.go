package postgres

import (
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/jackc/pgx/v5"
)

// A right is what a publication may do with a relation, as GRANT writes it.
type right struct{ relation, allows string }

// publisherRights are what publish, publish --dry-run and editions need, and no more. What is not listed is refused to
// a role that may only publish, and so is every table of a later migration until it is listed.
var publisherRights = []right{
	{"goose_db_version", "SELECT"},
	{"schema_compatibility", "SELECT"},
	{"editions", "SELECT, INSERT"},
	{"current_edition", "SELECT, INSERT, UPDATE (number)"},
	{"service", "SELECT, INSERT, UPDATE"},
	{"categories", "SELECT, INSERT, DELETE"},
	{"tools", "SELECT, INSERT, UPDATE, DELETE"},
	{"comparisons", "SELECT, INSERT, UPDATE (source, source_en), DELETE"},
	{"retired", "SELECT, INSERT, UPDATE (source, source_en), DELETE"},
	{"pages", "SELECT, INSERT, DELETE"},
	{"incidents", "SELECT, INSERT, DELETE"},
	{"tombstones", "SELECT, INSERT, UPDATE (edition), DELETE"},
	{"price_history", "SELECT, INSERT, UPDATE (slug, new_pricing, new_price, seq), DELETE"},
	{"review_dictionaries", "SELECT, INSERT"},
	{"history", "SELECT, UPDATE (since)"},
	{"file_changes", "SELECT, INSERT, DELETE"},
	{"events", "SELECT, INSERT"},
}

// roleName matches the role names that the script accepts: no control characters, and no backslash, whose meaning
// depends on a setting of the server.
var roleName = regexp.MustCompile(`^[^\pC\\]+$`)

// PublisherScript returns the SQL that creates a role which may publish and do nothing else. The script can run again:
// it first revokes everything. PublisherScript returns an error for a name that it does not accept.
func PublisherScript(role string) (string, error) {
	reserved := role == "public" || role == "none" || strings.HasPrefix(role, "pg_")
	if len(role) > 63 || reserved || !utf8.ValidString(role) || !roleName.MatchString(role) {
		return "", fmt.Errorf("%q is no name for a role: write one such as palmares_publisher, of at most 63 bytes", role)
	}
	var grants, relations strings.Builder
	name := pgx.Identifier{role}.Sanitize()
	for i, r := range publisherRights {
		fmt.Fprintf(&grants, "GRANT %s ON public.%s TO %s;\n", r.allows, r.relation, name)
		if i > 0 {
			relations.WriteString(", ")
		}
		fmt.Fprintf(&relations, "'%s'", r.relation)
	}
	return strings.NewReplacer(
		"<role>", name,
		"<literal>", "'"+strings.ReplaceAll(role, "'", "''")+"'",
		"<grants>\n", grants.String(),
		"<relations>", relations.String(),
	).Replace(publisherScript), nil
}

// publisherScript passes the name of the role to its DO blocks in a setting, so that no name can end a block.
const publisherScript = `-- A role that may publish editions and list them, and nothing else: it reads nothing of accounts, keys, endpoints, payments,
-- reports, sessions or mail. Run this as a superuser, or as the owner of the database if it may make roles, in the database of the
-- service, after palmares migrate:
--
--   palmares grants | psql --set ON_ERROR_STOP=1 palmares
--
-- It may run again, and does so after each upgrade: it first takes everything back. It sets no password. In psql,
--
--   \password <role>
--
-- asks for one, and sends it so that neither the log nor the history of the shell has it.

BEGIN;

SET LOCAL palmares.publisher = <literal>;

-- A role that is there already is neither one that may do more by itself nor the one that the service runs as.
DO $$
DECLARE
    publisher text := pg_catalog.current_setting('palmares.publisher');
    had record;
BEGIN
    IF pg_catalog.to_regprocedure('public.queue_fan_out(bigint)') IS NULL THEN
        RAISE EXCEPTION 'the schema is of an earlier version: run palmares migrate first';
    END IF;
    SELECT r.oid, r.rolsuper OR r.rolcreaterole OR r.rolcreatedb OR r.rolreplication OR r.rolbypassrls AS powers INTO had
    FROM pg_catalog.pg_roles r WHERE r.rolname = publisher;
    IF NOT FOUND THEN
        EXECUTE pg_catalog.format('CREATE ROLE %I LOGIN', publisher);
        RETURN;
    END IF;
    IF had.powers THEN
        RAISE EXCEPTION 'the role % may do more than publish: name another with --role', publisher;
    END IF;
    IF EXISTS (SELECT FROM pg_catalog.pg_auth_members m WHERE m.member = had.oid) THEN
        RAISE EXCEPTION 'the role % is a member of another role, and has its rights: name another with --role', publisher;
    END IF;
    IF EXISTS (SELECT FROM pg_catalog.pg_class c WHERE c.relowner = had.oid)
       OR EXISTS (SELECT FROM pg_catalog.pg_proc p WHERE p.proowner = had.oid)
       OR EXISTS (SELECT FROM pg_catalog.pg_namespace n WHERE n.nspowner = had.oid)
       OR EXISTS (SELECT FROM pg_catalog.pg_database d WHERE d.datname = pg_catalog.current_database() AND d.datdba = had.oid) THEN
        RAISE EXCEPTION 'the role % owns something here: name another with --role', publisher;
    END IF;
END $$;

REVOKE ALL ON ALL TABLES IN SCHEMA public FROM <role>;
REVOKE ALL ON ALL SEQUENCES IN SCHEMA public FROM <role>;
REVOKE ALL ON ALL ROUTINES IN SCHEMA public FROM <role>;
REVOKE ALL ON SCHEMA public FROM <role>;
REVOKE ALL ON FUNCTION public.queue_fan_out(bigint), public.move_reports() FROM PUBLIC;

-- A publication stages its tools in a temporary table. Before PostgreSQL 15 everybody could make other tables, too: now the
-- role alone that the service's tables belong to.
DO $$
DECLARE
    publisher text := pg_catalog.current_setting('palmares.publisher');
BEGIN
    EXECUTE pg_catalog.format('REVOKE ALL ON DATABASE %I FROM %I', pg_catalog.current_database(), publisher);
    EXECUTE pg_catalog.format('GRANT CONNECT, TEMPORARY ON DATABASE %I TO %I', pg_catalog.current_database(), publisher);
    IF pg_catalog.has_schema_privilege(publisher, 'public', 'CREATE') THEN
        EXECUTE pg_catalog.format('GRANT CREATE ON SCHEMA public TO %I',
            (SELECT pg_catalog.pg_get_userbyid(c.relowner) FROM pg_catalog.pg_class c WHERE c.oid = 'public.editions'::pg_catalog.regclass));
        REVOKE CREATE ON SCHEMA public FROM PUBLIC;
    END IF;
END $$;

GRANT USAGE ON SCHEMA public TO <role>;
<grants>
-- It queues the job that tells webhook endpoints of an edition, and moves the reports of renamed tools. There is no right on the
-- jobs and the reports themselves.
GRANT EXECUTE ON FUNCTION public.queue_fan_out(bigint) TO <role>;
GRANT EXECUTE ON FUNCTION public.move_reports() TO <role>;

-- Nothing is kept if the role may do more, because somebody granted it to everybody, say.
DO $$
DECLARE
    publisher text := pg_catalog.current_setting('palmares.publisher');
    more text;
BEGIN
    SELECT pg_catalog.string_agg(c.oid::pg_catalog.regclass::text, ', ' ORDER BY c.oid::pg_catalog.regclass::text) INTO more
    FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
    WHERE n.nspname !~ '^pg_' AND n.nspname <> 'information_schema' AND c.relkind IN ('r', 'p', 'v', 'm', 'f', 'S')
      AND NOT EXISTS (SELECT FROM pg_catalog.pg_depend d
                      WHERE d.classid = 'pg_catalog.pg_class'::pg_catalog.regclass AND d.objid = c.oid AND d.deptype = 'e')
      AND CASE WHEN c.relkind = 'S' THEN pg_catalog.has_sequence_privilege(publisher, c.oid, 'USAGE, SELECT, UPDATE')
               WHEN n.nspname = 'public' AND c.relname IN (<relations>)
                   THEN pg_catalog.has_table_privilege(publisher, c.oid, 'TRUNCATE, REFERENCES, TRIGGER')
               ELSE pg_catalog.has_table_privilege(publisher, c.oid, 'TRUNCATE, DELETE, TRIGGER')
                   OR pg_catalog.has_any_column_privilege(publisher, c.oid, 'SELECT, INSERT, UPDATE, REFERENCES') END;
    IF more IS NOT NULL THEN
        RAISE EXCEPTION 'the role % may do more than publish, with %: take from PUBLIC what it has there', publisher, more;
    END IF;
    IF pg_catalog.has_schema_privilege(publisher, 'public', 'CREATE') THEN
        RAISE EXCEPTION 'everybody may create tables in the schema public: run this as a superuser';
    END IF;
    IF EXISTS (SELECT FROM pg_catalog.pg_default_acl d, pg_catalog.aclexplode(d.defaclacl) a
               WHERE d.defaclobjtype IN ('r', 'S') AND (a.grantee = 0 OR a.grantee = (SELECT r.oid FROM pg_catalog.pg_roles r WHERE r.rolname = publisher))) THEN
        RAISE EXCEPTION 'the role % would get rights on later tables: ALTER DEFAULT PRIVILEGES takes them back', publisher;
    END IF;
END $$;

COMMIT;
`
