package quota

import (
	"context"
	"fmt"
	"strconv"

	"github.com/redis/rueidis"
)

// hourlyScript keeps the times of the last actions in a list, the latest first, as many as the
// limit says. Another action is allowed if the last of them is an hour ago. ARGV: the limit, the
// time in milliseconds, the length of an hour, and whether to count the action if it is allowed.
// The key outlives the hour by a minute, for nodes whose clocks differ. A refusal writes as much as
// a permission, and takes it back: the time of an answer must not tell one from the other.
const hourlyScript = `
local oldest = redis.call('LINDEX', KEYS[1], ARGV[1] - 1)
if oldest and tonumber(oldest) > ARGV[2] - ARGV[3] then
	if ARGV[4] == '1' then
		redis.call('LPUSH', KEYS[1], ARGV[2])
		redis.call('LPOP', KEYS[1])
		redis.call('PEXPIRE', KEYS[1], redis.call('PTTL', KEYS[1]))
	end
	return 0
end
if ARGV[4] == '1' then
	redis.call('LPUSH', KEYS[1], ARGV[2])
	redis.call('LTRIM', KEYS[1], 0, ARGV[1] - 1)
	redis.call('PEXPIRE', KEYS[1], ARGV[3] + 60000)
end
return 1`

// allowHourly asks whether an action is within the limit, and counts it if it is and count says
// so. EVAL takes one round trip whatever scripts Redis knows.
func allowHourly(
	ctx context.Context, c rueidis.Client, key string, now int64, limit int, count bool,
) (bool, error) {
	flag := "0"
	if count {
		flag = "1"
	}
	allowed, err := c.Do(ctx, c.B().Eval().Script(hourlyScript).Numkeys(1).Key(key).Arg(
		strconv.Itoa(limit), strconv.FormatInt(now, 10), strconv.FormatInt(slidingHour, 10), flag,
	).Build()).AsBool()
	if err != nil {
		return false, fmt.Errorf("counting an action: %w", err)
	}
	return allowed, nil
}
