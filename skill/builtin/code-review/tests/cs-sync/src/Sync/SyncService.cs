using System;
using System.Threading.Tasks;

namespace Sync;

public class SyncService
{
    private readonly IStore _store;
    private bool _running;

    public SyncService(IStore store) => _store = store;

    public async void Start() // want medium "cannot be awaited"
    {
        if (_running = true) // want high "assigns a constant"
        {
            return;
        }
        await _store.OpenAsync();
        foreach (var reading in await _store.ReadAsync())
        {
            if (reading.Value == double.NaN) // want medium "nan"
            {
                continue;
            }
            try
            {
                await _store.SaveAsync(reading);
            }
            catch (Exception) // want low "swallowed"
            {
            }
        }
    }
}
